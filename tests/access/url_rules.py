"""Who may open which URL: a row for each pattern of the resolver.

A URL without a row fails `test_every_url`. To add yours: the pattern as the resolver writes it, a
function that creates the objects and returns a URL, and the answers by reader
(tests/access/answers.py). Rows of POST-only URLs name the method.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from billing import wallet as wallet_commands
from billing.models import Message, Wallet
from numbers.models import Number, NumberImport, Pool, Switch
from poolsite import hotpath
from poolsite.access import audit, services
from poolsite.operations import incidents
from poolsite.operations.models import Note
from tests.access import url_rules_campaigns as campaign_rules
from tests.access import url_rules_desks as desk_rules
from tests.access import url_rules_gates as gate_rules
from tests.access import url_rules_groups as group_rules
from tests.access import url_rules_health as health_rules
from tests.access import url_rules_invoices as invoice_rules
from tests.access import url_rules_line_api as line_api_rules
from tests.access import url_rules_log_in as log_in_rules
from tests.access import url_rules_money as money_rules
from tests.access import url_rules_paying as paying_rules
from tests.access import url_rules_people as people_rules
from tests.access import url_rules_webhooks as webhook_rules
from tests.access.world import World


@dataclass(frozen=True)
class Rule:
    """A row of the table."""

    answers: Mapping[str, str]
    url: Callable[[World], str] | str = ""
    method: str = "get"
    data: Mapping[str, Any] = field(default_factory=dict)


PUBLIC = {"*": "ok"}
LOGGED_IN = {"nobody": "login", "*": "ok"}
OPERATORS = {"nobody": "login", "operators": "ok", "*": "no"}
WITH_OPERATE = {"nobody": "login", "operate": "ok", "*": "no"}
# Pages for people who manage an account: each reader sees their own account.
MANAGERS_OWN = {
    "nobody": "login",
    "owner": "ok",
    "admin": "ok",
    "foreign": "ok",
    "operators": "ok",
    "*": "no",
}
# For an object of the account `own`. Operators may only view it, unless they have `operate`.
MANAGERS_SEE = {**MANAGERS_OWN, "foreign": "hidden"}
MANAGERS_CHANGE = {**MANAGERS_SEE, "operators": "no", "operate": "ok"}
# Where the object is looked up first: to a reader without an account, it is another tenant's.
MANAGERS_SEE_IT = {**MANAGERS_SEE, "roleless": "hidden"}
MANAGERS_CHANGE_IT = {**MANAGERS_CHANGE, "roleless": "hidden"}
MANAGERS_OWN_CHANGE = {**MANAGERS_OWN, "operators": "no", "operate": "ok"}


def _member(world: World) -> str:
    return f"/accounts/own/people/{world.users['agent'].pk}/"


def _withdraw(world: World) -> str:
    made, _ = services.invitation_create(
        email="new@example.com", account=world.own, role="agent", actor="test"
    )
    return f"/accounts/own/invitations/{made.pk}/withdraw/"


def _withdraw_operator(world: World) -> str:
    made, _ = services.invitation_create(email="new@example.com", actor="test")
    return f"/operators/invitations/{made.pk}/withdraw/"


def _revoke(world: World) -> str:
    token, _ = services.token_create(
        name="switch",
        account=world.own,
        resources=["*"],
        expires_at=timezone.now() + timedelta(days=1),
        actor="test",
    )
    return f"/tokens/{token.pk}/revoke/"


def _user(template: str) -> Callable[[World], str]:
    return lambda world: template % world.users["supervise"].pk


ACCESS = {
    "": Rule(LOGGED_IN),
    "welcome/": Rule(LOGGED_IN),
    "login/": Rule(PUBLIC),
    "password/reset/link/": Rule(PUBLIC),
    "join/": Rule(PUBLIC),
    "join/accept/": Rule(PUBLIC),
    "profile/": Rule(LOGGED_IN),
    "security/logout/": Rule({"*": "login"}, method="post"),
    "accounts/": Rule(MANAGERS_OWN),
    "accounts/new/": Rule(WITH_OPERATE),
    "accounts/<slug:slug>/people/": Rule(MANAGERS_SEE, url="/accounts/own/people/"),
    "accounts/<slug:slug>/invite/": Rule(MANAGERS_CHANGE, url="/accounts/own/invite/"),
    "accounts/<slug:slug>/people/<int:user_id>/": Rule(MANAGERS_CHANGE, url=_member),
    "accounts/<slug:slug>/invitations/<int:invitation_id>/withdraw/": Rule(
        MANAGERS_CHANGE, url=_withdraw, method="post"
    ),
    "operators/": Rule(OPERATORS),
    "operators/invite/": Rule(WITH_OPERATE),
    "operators/<int:user_id>/": Rule(WITH_OPERATE, url=_user("/operators/%s/")),
    "operators/invitations/<int:invitation_id>/withdraw/": Rule(
        WITH_OPERATE, url=_withdraw_operator, method="post"
    ),
    "operators/finance/<int:pk>/": Rule(OPERATORS, url=money_rules.finance_request()),
    **{
        f"operators/finance/<int:pk>/{verb}/": Rule(
            money_rules.FINANCE_ANYWHERE,
            url=money_rules.finance_request(f"{verb}/"),
            method="post",
        )
        for verb in ("approve", "reject")
    },
    "users/<int:user_id>/access/": Rule(WITH_OPERATE, url=_user("/users/%s/access/")),
    "users/<int:user_id>/app/": Rule(WITH_OPERATE, url=_user("/users/%s/app/")),
    "tokens/": Rule(MANAGERS_OWN),
    "tokens/new/": Rule(MANAGERS_OWN_CHANGE),
    "tokens/new/summary/": Rule(MANAGERS_OWN_CHANGE, method="post"),
    "tokens/<int:token_id>/revoke/": Rule(MANAGERS_CHANGE, url=_revoke, method="post"),
    "history/": Rule(MANAGERS_OWN),
}
ADMIN_DOORS = {
    "admin/login/": Rule({"nobody": "login", "*": "ok"}),
    "admin/logout/": Rule({"*": "login"}, method="post"),
    "admin/password_change/": Rule(PUBLIC),  # leads to our own page, which asks
    "admin/password_change/done/": Rule(PUBLIC),
}


def _incident(verb: str = "") -> Callable[[World], str]:
    def make(world: World) -> str:
        found = incidents.open(
            type="test.alarm", object="own", severity="warning", title="Test", account=world.own
        )
        return f"/incidents/{found.pk}/{verb}"

    return make


OPERATIONS = {
    "overview/": Rule(MANAGERS_OWN),
    "start/<slug:goal>/": Rule(WITH_OPERATE, url="/start/call/"),
    "incidents/": Rule(MANAGERS_OWN),
    "incidents/<int:incident_id>/": Rule(MANAGERS_SEE_IT, url=_incident()),
    **{
        f"incidents/<int:incident_id>/{verb}": Rule(
            MANAGERS_CHANGE_IT, url=_incident(verb), method="post"
        )
        for verb in ("acknowledge/", "assign/", "snooze/", "snooze/end/", "notes/")
    },
    "incidents/<int:incident_id>/resolve/": Rule(
        {**MANAGERS_CHANGE_IT, "owner": "no", "admin": "no", "finance": "ok"},
        url=_incident("resolve/"),
        method="post",
    ),
    "system/": Rule(OPERATORS),
    "system/confirm-clock/": Rule(WITH_OPERATE, method="post"),
    "search/": Rule(LOGGED_IN, url="/search/?q=x"),
    "views/": Rule(LOGGED_IN, method="post", data={"path": "/history/", "name": "Mine"}),
    "views/<int:view_id>/delete/": Rule(
        {"nobody": "login", "*": "hidden"}, url="/views/1/delete/", method="post"
    ),
}


def _beside(part: str) -> Callable[[World], str]:
    """Return a function for a URL of a tag or note of the account's pool."""

    def make(world: World) -> str:
        Pool.objects.get_or_create(slug="own-pool", account=world.own)
        note = Note.objects.create(kind="pool", thing="own-pool", account=world.own, text="One")
        return f"/things/pool/own-pool/{part.replace('ID', str(note.pk))}"

    return make


def _pool_change(world: World) -> str:
    """Return the URL that undoes a change of the account's pool."""
    pool = Pool.objects.get_or_create(slug="own-pool", account=world.own)[0]
    with transaction.atomic():
        entry = audit(
            actor="test",
            action="numbers.pool_configure",
            thing=pool,
            before={"name": "Before"},
            after={"name": pool.name},
        )
    return f"/history/{entry.pk}/undo/"


# Tags and notes of an object of `own`: readers who may change the object.
BESIDE = {
    "nobody": "login",
    "operate": "ok",
    "foreign": "hidden",
    "roleless": "hidden",
    "*": "no",
}
OPERATIONS |= {
    "things/<slug:kind>/<slug:slug>/tags/": Rule(
        BESIDE, url=_beside("tags/"), method="post", data={"tags": "east, spare"}
    ),
    "things/<slug:kind>/<slug:slug>/notes/": Rule(
        BESIDE, url=_beside("notes/"), method="post", data={"text": "Call the carrier first."}
    ),
    "things/<slug:kind>/<slug:slug>/notes/<int:note_id>/remove/": Rule(
        BESIDE, url=_beside("notes/ID/remove/"), method="post"
    ),
    "history/<int:entry_id>/undo/": Rule(BESIDE, url=_pool_change, method="post"),
}

# The numbers of the reader's own pools. To change them takes the grant `operate`.
NUMBERS_SEE = {
    "nobody": "login",
    **dict.fromkeys(("owner", "admin", "supervisor", "foreign", "operators"), "ok"),
    "*": "no",
}
NUMBERS_SEE_IT = {**NUMBERS_SEE, "foreign": "hidden"}
NUMBERS_CHANGE = {"nobody": "login", "operate": "ok", "*": "no"}
NUMBERS_CHANGE_IT = {
    **dict.fromkeys(("owner", "admin", "supervisor", "operators"), "no"),
    "nobody": "login",
    "operate": "ok",
    "foreign": "hidden",
    "*": "no",
}


def _import(template: str) -> Callable[[World], str]:
    def make(world: World) -> str:
        pool = Pool.objects.get_or_create(slug="own-pool", account=world.own)[0]
        made = NumberImport.objects.create(pool=pool, file_name="a.csv", state="previewed")
        return template % made.pk

    return make


def _number(world: World) -> str:
    pool = Pool.objects.get_or_create(slug="own-pool", account=world.own)[0]
    Number.objects.get_or_create(pool=pool, value="13800000001")
    return "/numbers/13800000001/change/"


NUMBER_LIST = {
    "numbers/": Rule(NUMBERS_SEE),
    "numbers/states/": Rule(NUMBERS_SEE),
    "numbers/export/": Rule(NUMBERS_SEE),
    "numbers/add/": Rule(NUMBERS_CHANGE, method="post"),
    "numbers/add-range/": Rule(NUMBERS_CHANGE, method="post"),
    "numbers/bulk/": Rule(NUMBERS_CHANGE, method="post"),
    "numbers/twins/": Rule(NUMBERS_SEE),
    "numbers/twins/merge/": Rule(NUMBERS_CHANGE, method="post"),
    "numbers/<number:value>/change/": Rule(
        {**NUMBERS_CHANGE_IT, "roleless": "hidden"}, url=_number, method="post"
    ),
    "imports/": Rule(NUMBERS_SEE),
    "imports/upload/": Rule({**NUMBERS_CHANGE, "operate": "hidden"}, method="post"),
    "imports/<int:import_id>/refused/": Rule(NUMBERS_SEE_IT, url=_import("/imports/%s/refused/")),
    "imports/<int:import_id>/confirm/": Rule(
        NUMBERS_CHANGE_IT, url=_import("/imports/%s/confirm/"), method="post"
    ),
    "imports/<int:import_id>/undo/": Rule(
        NUMBERS_CHANGE_IT, url=_import("/imports/%s/undo/"), method="post"
    ),
    "imports/<int:import_id>/discard/": Rule(
        NUMBERS_CHANGE_IT, url=_import("/imports/%s/discard/"), method="post"
    ),
}


def _pool(template: str) -> Callable[[World], str]:
    def make(world: World) -> str:
        Pool.objects.get_or_create(slug="own-pool", account=world.own)
        return template

    return make


def _switch(template: str) -> Callable[[World], str]:
    def make(world: World) -> str:
        pool = Pool.objects.get_or_create(slug="own-pool", account=world.own)[0]
        switch = Switch.objects.get_or_create(pool=pool, name="kam-1")[0]
        return template % switch.pk if "%" in template else template

    return make


def _own_number(template: str) -> Callable[[World], str]:
    def make(world: World) -> str:
        pool = Pool.objects.get_or_create(slug="own-pool", account=world.own)[0]
        Number.objects.get_or_create(pool=pool, value="13800000001")
        return template

    return make


POOL_LOOKED_UP = {**NUMBERS_SEE_IT, "roleless": "hidden"}
POOL_CHANGED = {**NUMBERS_CHANGE_IT, "roleless": "hidden"}
POOL_PAGES = {
    "pools/": Rule(NUMBERS_SEE),
    "pools/new/": Rule(NUMBERS_CHANGE),
    "who-had/": Rule(NUMBERS_SEE),
    **{
        f"pools/<slug:slug>/{part}": Rule(POOL_LOOKED_UP, url=_pool(f"/pools/own-pool/{part}"))
        for part in ("", "tiles/", "samples/", "sizing/", "switches/")
    },
    "pools/<slug:slug>/switches/<int:switch_id>/kind/": Rule(
        POOL_CHANGED, url=_switch("/pools/own-pool/switches/%s/kind/"), method="post"
    ),
    "pools/<slug:slug>/settings/": Rule(POOL_CHANGED, url=_pool("/pools/own-pool/settings/")),
    **{
        f"pools/<slug:slug>/{verb}/": Rule(
            POOL_CHANGED, url=_pool(f"/pools/own-pool/{verb}/"), method="post"
        )
        for verb in ("pause", "resume", "reconcile")
    },
    **{
        f"numbers/<number:value>/{part}": Rule(
            POOL_LOOKED_UP, url=_own_number(f"/numbers/13800000001/{part}")
        )
        for part in ("", "story/")
    },
    **{
        f"numbers/<number:value>/{verb}/": Rule(
            POOL_CHANGED, url=_own_number(f"/numbers/13800000001/{verb}/"), method="post"
        )
        for verb in ("quarantine", "release", "hangup")
    },
    **{
        f"numbers/twins/<number:value>/{verb}/": Rule(
            POOL_CHANGED, url=_own_number(f"/numbers/twins/13800000001/{verb}/"), method="post"
        )
        for verb in ("merge", "remove")
    },
}

# The API behind Django. Its two hot routes accept only tokens and are answered before Django
# (tests/numbers/test_api_routes.py, test_api_events.py). Here they only stand for the document, and
# a reader who gets this far is refused for the empty body. The same holds for changing a switch
# (tests/numbers/test_switch_faces.py).
API_TOKENS_ONLY = {"nobody": "login", "*": "ok"}
API = {
    "api/v1/": Rule({"*": "hidden"}),
    "api/v1/openapi.json": Rule(PUBLIC),
    "api/v1/docs": Rule(PUBLIC),
    "api/v1/docs/": Rule(PUBLIC),
    "api/v1/docs/<slug:tag>": Rule(PUBLIC, url="/api/v1/docs/numbers"),
    "api/v1/docs/<slug:tag>/": Rule(PUBLIC, url="/api/v1/docs/numbers/"),
    "api/v1/pools": Rule(NUMBERS_SEE),
    "api/v1/pools/<slug>": Rule(POOL_LOOKED_UP, url=_pool("/api/v1/pools/own-pool")),
    "api/v1/pools/<slug>/numbers/<number>": Rule(
        POOL_LOOKED_UP, url=_own_number("/api/v1/pools/own-pool/numbers/13800000001")
    ),
    "api/v1/pools/<slug>/switches": Rule(
        POOL_LOOKED_UP, url=_pool("/api/v1/pools/own-pool/switches")
    ),
    "api/v1/pools/<slug>/switches/<name>": Rule(
        API_TOKENS_ONLY, url=_switch("/api/v1/pools/own-pool/switches/kam-1"), method="patch"
    ),
    "api/v1/pools/<slug>/events": Rule(
        API_TOKENS_ONLY, url=_pool("/api/v1/pools/own-pool/events"), method="post"
    ),
    "api/v1/pools/<slug>/live": Rule(
        API_TOKENS_ONLY, url=_pool("/api/v1/pools/own-pool/live"), method="post"
    ),
    "api/v1/numbers/who-had": Rule(
        NUMBERS_SEE, url="/api/v1/numbers/who-had?agent=Li&at=2026-01-01T00:00:00Z"
    ),
}


def _wallet(url: str) -> Callable[[World], str]:
    def make(world: World) -> str:
        wallet, made = Wallet.objects.get_or_create(account=world.own)
        if made:
            hotpath.run(wallet_commands.create("own", 1, wallet_commands.WalletSettings()))
            Message.objects.create(wallet=wallet, message_id="m-1", state="settled")
        return url

    return make


# A wallet is looked up first: a reader without an account finds none.
WALLET_SEEN = {
    "nobody": "login",
    "foreign": "hidden",
    "roleless": "hidden",
    "agent": "no",
    "supervisor": "no",
    "*": "ok",
}
API |= {
    **{
        f"api/v1/accounts/<slug>/{part}": Rule(
            API_TOKENS_ONLY, url=_wallet(f"/api/v1/accounts/own/{part}"), method="post"
        )
        for part in ("holds", "sent", "cancellations", "settlements", "sessions")
    },
    "api/v1/accounts/<slug>/balance": Rule(
        WALLET_SEEN, url=_wallet("/api/v1/accounts/own/balance")
    ),
    "api/v1/accounts/<slug>/messages/<any:message_id>": Rule(
        WALLET_SEEN, url=_wallet("/api/v1/accounts/own/messages/m-1")
    ),
}

_ONE = "accounts/<slug:slug>/campaigns/<int:pk>/"
CAMPAIGNS = {
    "campaigns/": Rule(campaign_rules.MEMBERS_OWN),
    "opt-outs/": Rule(campaign_rules.MEMBERS_OWN),
    "templates/": Rule(campaign_rules.MEMBERS_OWN),
    "accounts/<slug:slug>/templates/new/": Rule(
        campaign_rules.SENT, url=campaign_rules.of_wallet("/accounts/own/templates/new/")
    ),
    "accounts/<slug:slug>/templates/<int:pk>/": Rule(
        campaign_rules.SEEN, url=campaign_rules.of_template("")
    ),
    "accounts/<slug:slug>/templates/<int:pk>/archive/": Rule(
        campaign_rules.SENT, url=campaign_rules.of_template("archive/"), method="post"
    ),
    **{
        f"accounts/<slug:slug>/{part}": Rule(
            campaign_rules.SEEN, url=campaign_rules.of_wallet(f"/accounts/own/{part}")
        )
        for part in ("campaigns/", "templates/", "opt-outs/", "opt-outs/export/")
    },
    "accounts/<slug:slug>/campaigns/new/": Rule(
        campaign_rules.SENT, url=campaign_rules.of_wallet("/accounts/own/campaigns/new/")
    ),
    "accounts/<slug:slug>/opt-outs/<int:pk>/remove/": Rule(
        campaign_rules.SENT, url=campaign_rules.of_opt_out, method="post"
    ),
    **{
        f"{_ONE}{part}": Rule(campaign_rules.SEEN, url=campaign_rules.of_campaign(part))
        for part in ("", "dropped/", "results/")
    },
    **{
        f"{_ONE}{verb}/": Rule(
            campaign_rules.SENT, url=campaign_rules.of_campaign(f"{verb}/"), method="post"
        )
        for verb in ("upload", "test", "send", "pause", "resume", "cancel")
    },
    f"{_ONE}top-up/": Rule(
        campaign_rules.SENT_AND_PAID, url=campaign_rules.of_campaign("top-up/"), method="post"
    ),
    f"{_ONE}delete/": Rule(campaign_rules.SENT, url=campaign_rules.of_sent_campaign, method="post"),
}

RULES: dict[str, Rule] = {
    **ACCESS,
    **ADMIN_DOORS,
    **OPERATIONS,
    **NUMBER_LIST,
    **POOL_PAGES,
    **API,
    **CAMPAIGNS,
    **desk_rules.rows(Rule),
    **paying_rules.rows(Rule),
    **invoice_rules.rows(Rule),
    **campaign_rules.rows(Rule),
    **people_rules.rows(Rule),
    **webhook_rules.rows(Rule),
    **money_rules.rows(Rule),
    **gate_rules.rows(Rule),
    **group_rules.rows(Rule),
    **health_rules.rows(Rule),
    **log_in_rules.rows(Rule),
    **line_api_rules.rows(Rule),
}
