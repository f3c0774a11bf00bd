"""The addresses of the pages about people."""

from django.urls import path

from poolsite.people.views import (
    finance_requests,
    history,
    invitations,
    log_in,
    operators,
    passwords,
    people,
    profile,
    token_add,
    tokens,
)
from poolsite.people.views.single_sign_on import local

app_name = "access"
urlpatterns = [
    path("", log_in.home, name="home"),
    path("welcome/", log_in.welcome, name="welcome"),
    path("password/reset/link/", local(passwords.reset_open), name="reset_open"),
    path("join/", invitations.join_open, name="join_open"),
    path("join/accept/", invitations.join, name="join"),
    path("profile/", profile.profile, name="profile"),
    path("security/logout/", profile.log_out_everywhere, name="logout_everywhere"),
    path("accounts/", people.accounts, name="accounts"),
    path("accounts/new/", people.account_add, name="account_add"),
    path("accounts/<slug:slug>/people/", people.members, name="members"),
    path("accounts/<slug:slug>/invite/", people.invite, name="invite"),
    path("accounts/<slug:slug>/people/<int:user_id>/", people.member, name="member"),
    path(
        "accounts/<slug:slug>/invitations/<int:invitation_id>/withdraw/",
        people.withdraw,
        name="withdraw",
    ),
    path("operators/", operators.operators, name="operators"),
    path("operators/invite/", operators.operator_invite, name="operator_invite"),
    path("operators/<int:user_id>/", operators.operator, name="operator"),
    path(
        "operators/invitations/<int:invitation_id>/withdraw/",
        operators.operator_withdraw,
        name="operator_withdraw",
    ),
    path("operators/finance/<int:pk>/", finance_requests.finance_request, name="finance_request"),
    path(
        "operators/finance/<int:pk>/approve/",
        finance_requests.finance_approve,
        name="finance_approve",
    ),
    path(
        "operators/finance/<int:pk>/reject/",
        finance_requests.finance_reject,
        name="finance_reject",
    ),
    path("users/<int:user_id>/access/", operators.deactivate, name="deactivate"),
    path("users/<int:user_id>/app/", operators.factor_reset, name="factor_reset"),
    path("tokens/", tokens.tokens, name="tokens"),
    path("tokens/new/", token_add.token_add, name="token_add"),
    path("tokens/new/summary/", token_add.token_summary, name="token_summary"),
    path("tokens/<int:token_id>/revoke/", tokens.token_revoke, name="token_revoke"),
    path("history/", history.history, name="history"),
]
