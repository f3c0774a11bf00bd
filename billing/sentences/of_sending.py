"""The audit log's sentences about campaigns, templates, chatbots and opt-outs."""

from typing import Any

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from billing.forms import ChatbotForm
from billing.models import Campaign, Chatbot, Template
from billing.views.campaigns_common import CampaignSettingsForm
from billing.views.campaigns_templates import TemplateForm
from poolsite.console.sentences import Reading, Sentence, SettingsFields, count, moment, plain
from poolsite.operations.logs import mask_text

CAMPAIGNS, TEMPLATES, CHATBOTS = _("Campaigns"), _("Templates"), _("Chatbots")
OPT_OUTS = _("Opt-outs")


def sentences() -> list[Sentence]:
    """Return all of them."""
    return [*_of_campaigns(), *_of_templates(), *_of_chatbots(), *_of_opt_outs()]


def _of_campaigns() -> list[Sentence]:
    recipients = count(lambda n: ngettext("%(n)s recipient", "%(n)s recipients", n))
    return [
        Sentence(
            "billing.campaign_create", CAMPAIGNS, _("%(actor)s created the campaign %(thing)s")
        ),
        Sentence(
            "billing.campaign_change",
            CAMPAIGNS,
            settings=SettingsFields(
                Campaign, CampaignSettingsForm, {"template": _template}, {"quiet": _("Quiet hours")}
            ),
        ),
        Sentence(
            "billing.campaign_delete", CAMPAIGNS, _("%(actor)s deleted the campaign %(thing)s")
        ),
        Sentence(
            "billing.recipients_upload",
            CAMPAIGNS,
            _("%(actor)s uploaded the recipients of the campaign %(thing)s: %(file)s"),
        ),
        Sentence(
            "billing.campaign_send",
            CAMPAIGNS,
            _("%(actor)s started the campaign %(thing)s to %(recipients)s"),
            {"recipients": recipients, "scheduled_at": moment},
            variant=lambda entry: (
                _(
                    "%(actor)s scheduled the campaign %(thing)s to %(recipients)s"
                    " for %(scheduled_at)s"
                )
                if (entry.after or {}).get("scheduled_at")
                else ""
            ),
        ),
        Sentence("billing.campaign_pause", CAMPAIGNS, _("%(actor)s paused the campaign %(thing)s")),
        Sentence(
            "billing.campaign_resume", CAMPAIGNS, _("%(actor)s resumed the campaign %(thing)s")
        ),
        Sentence(
            "billing.campaign_cancel", CAMPAIGNS, _("%(actor)s cancelled the campaign %(thing)s")
        ),
        Sentence(
            "billing.campaign_await_top_up",
            CAMPAIGNS,
            _("%(actor)s set the campaign %(thing)s to continue after the next top-up"),
        ),
        Sentence(
            "billing.campaign_test",
            CAMPAIGNS,
            _("%(actor)s sent a test message of the campaign %(thing)s"),
        ),
    ]


def _of_templates() -> list[Sentence]:
    return [
        Sentence(
            "billing.template_create", TEMPLATES, _("%(actor)s created the template %(thing)s")
        ),
        Sentence(
            "billing.template_change", TEMPLATES, settings=SettingsFields(Template, TemplateForm)
        ),
        Sentence(
            "billing.template_archive", TEMPLATES, _("%(actor)s archived the template %(thing)s")
        ),
        Sentence(
            "billing.template_restore", TEMPLATES, _("%(actor)s restored the template %(thing)s")
        ),
    ]


def _of_chatbots() -> list[Sentence]:
    return [
        Sentence("billing.chatbot_create", CHATBOTS, _("%(actor)s created the chatbot %(thing)s")),
        Sentence("billing.chatbot_change", CHATBOTS, settings=SettingsFields(Chatbot, ChatbotForm)),
        Sentence(
            "billing.chatbot_archive", CHATBOTS, _("%(actor)s archived the chatbot %(thing)s")
        ),
        Sentence(
            "billing.chatbot_restore", CHATBOTS, _("%(actor)s restored the chatbot %(thing)s")
        ),
        Sentence(
            "billing.chatbot_token",
            CHATBOTS,
            _("%(actor)s created a new token for the chatbot %(thing)s"),
        ),
    ]


def _of_opt_outs() -> list[Sentence]:
    numbers = count(lambda n: ngettext("%(n)s number", "%(n)s numbers", n))
    return [
        Sentence(
            "billing.opt_outs_add",
            OPT_OUTS,
            _("%(actor)s added %(numbers)s to the opt-outs of %(thing)s"),
            {"numbers": numbers},
        ),
        Sentence(
            "billing.opt_out_remove",
            OPT_OUTS,
            _("%(actor)s removed %(number)s from the opt-outs of %(thing)s"),
            {"number": lambda value, reading: mask_text(plain(value, reading))},
        ),
    ]


def _template(value: Any, reading: Reading) -> str:
    """Write the name of the template with this ID."""
    found = Template.objects.filter(pk=value).first() if isinstance(value, int) else None
    return found.name if found is not None else plain(value, reading)
