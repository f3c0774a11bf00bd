"""URLs of campaigns, templates and opt-outs."""

from django.urls import path

from billing.views import (
    campaigns,
    campaigns_files,
    campaigns_list,
    campaigns_opt_outs,
    campaigns_templates,
    campaigns_templates_list,
)
from billing.views import campaigns_steps as steps

OF_WALLET = "accounts/<slug:slug>/"
OF_ONE = f"{OF_WALLET}campaigns/<int:pk>/"
urlpatterns = [
    path("campaigns/", campaigns.own, {"page": "campaigns"}, name="own_campaigns"),
    path("opt-outs/", campaigns.own, {"page": "opt_outs"}, name="own_opt_outs"),
    path(f"{OF_WALLET}campaigns/", campaigns_list.campaign_list, name="campaigns"),
    path(f"{OF_WALLET}campaigns/new/", campaigns.campaign_new, name="campaign_new"),
    path(OF_ONE, campaigns.campaign_page, name="campaign"),
    path(f"{OF_ONE}dropped/", campaigns_files.campaign_dropped, name="campaign_dropped"),
    path(f"{OF_ONE}results/", campaigns_files.campaign_results, name="campaign_results"),
    *(
        path(
            f"{OF_ONE}{verb.replace('_', '-')}/",
            getattr(steps, f"campaign_{verb}"),
            name=f"campaign_{verb}",
        )
        for verb in ("upload", "test", "send", "pause", "resume", "cancel", "delete", "top_up")
    ),
    path("templates/", campaigns.own, {"page": "templates"}, name="own_templates"),
    path(f"{OF_WALLET}templates/", campaigns_templates_list.template_list, name="templates"),
    path(f"{OF_WALLET}templates/new/", campaigns_templates.template_new, name="template_new"),
    path(f"{OF_WALLET}templates/<int:pk>/", campaigns_templates.template_page, name="template"),
    path(
        f"{OF_WALLET}templates/<int:pk>/archive/",
        campaigns_templates.template_archive,
        name="template_archive",
    ),
    path(f"{OF_WALLET}opt-outs/", campaigns_opt_outs.opt_outs, name="opt_outs"),
    path(
        f"{OF_WALLET}opt-outs/export/", campaigns_opt_outs.opt_outs_export, name="opt_outs_export"
    ),
    path(
        f"{OF_WALLET}opt-outs/<int:pk>/remove/",
        campaigns_opt_outs.opt_out_remove,
        name="opt_out_remove",
    ),
]
