"""The permissions in the admin, written down independently of the code that decides them.

Every operator may view every list. A model without a row fails `test_admin_walk`.
"""

from dataclasses import dataclass

from django.http import HttpResponse
from django.test import Client

from poolsite.access import services
from poolsite.access.models import User
from poolsite.access.services import token_create, visitor_token
from tests.access.world import READERS, World


@dataclass(frozen=True)
class Right:
    """What an operator with the grant `operate` may do apart from viewing. No one else may."""

    add: bool = False
    change: bool = False
    delete: bool = False


LOOKED_AT = Right()
SET = Right(add=True, change=True)

RIGHTS = {
    "access.Account": SET,
    "access.User": LOOKED_AT,
    "access.ApiToken": LOOKED_AT,
    "access.AuditEntry": LOOKED_AT,
    "operations.NoticeTarget": Right(add=True, change=True, delete=True),
    "operations.Incident": LOOKED_AT,
    "operations.OutgoingCall": LOOKED_AT,
    "jobs.Job": LOOKED_AT,
    "history.GapRecord": LOOKED_AT,
    "numbers.Pool": SET,
    "numbers.Number": Right(add=True, change=True, delete=True),
    "numbers.Switch": Right(change=True),
    "numbers.CallRecord": LOOKED_AT,
    "numbers.PoolEvent": LOOKED_AT,
    "numbers.NumberImport": LOOKED_AT,
    "billing.Wallet": LOOKED_AT,
    "billing.Recharge": LOOKED_AT,
    "billing.ProviderEvent": LOOKED_AT,
    "billing.PaymentMethod": LOOKED_AT,
    "billing.Adjustment": LOOKED_AT,
    "billing.RefundRequest": LOOKED_AT,
    "billing.MoneyOrder": LOOKED_AT,
    "billing.Promotion": LOOKED_AT,
    "billing.PromotionMove": LOOKED_AT,
    "billing.JournalEntry": LOOKED_AT,
    "billing.Batch": LOOKED_AT,
    "billing.Receivable": LOOKED_AT,
    "billing.FlaggedReport": LOOKED_AT,
    "billing.Message": LOOKED_AT,
    "billing.Tariff": LOOKED_AT,
    "billing.Chatbot": LOOKED_AT,
    "billing.OptOut": LOOKED_AT,
    "billing.Template": LOOKED_AT,
    "billing.Campaign": LOOKED_AT,
    "billing.Invoice": LOOKED_AT,
    "billing.CreditNote": LOOKED_AT,
    "line.Desk": SET,
    "line.Queue": SET,
    "line.Agent": SET,
    "line.Skill": LOOKED_AT,
    "line.CannedReply": LOOKED_AT,
    "line.Visit": LOOKED_AT,
    "line.LeftMessage": LOOKED_AT,
    "line.MessageCall": LOOKED_AT,
    "line.AgentShift": LOOKED_AT,
    "line.LineEvent": LOOKED_AT,
    "admission.Gate": SET,
    "admission.TaskBatch": LOOKED_AT,
    "admission.Task": LOOKED_AT,
    "admission.GateEvent": LOOKED_AT,
    "dispatch.Group": SET,
    "dispatch.Instance": LOOKED_AT,
    "dispatch.FrontEnd": LOOKED_AT,
    "dispatch.Upgrade": LOOKED_AT,
    "dispatch.DispatchEvent": LOOKED_AT,
}
# "one thing": an operator whose only grant is `operate` for one pool, which is not in the world.
# "ended": an operator who was deactivated. Tokens and visitors send a header, and no cookie.
LOOKERS = ("looker", "finance", "supervise", "one thing")
CHANGERS = ("operate", "superuser")
STAFF = (*LOOKERS, *CHANGERS)
OUTSIDERS = (
    *(reader for reader in READERS if reader not in STAFF),
    *("ended", "token", "other token", "visitor"),
)
POSTS_TO_OUR_DOORS = ("/admin/login/", "/admin/logout/", "/admin/password_change/")


def clients(world: World) -> dict[str, Client]:
    """Return a browser or program of each kind."""
    found = {reader: world.client(reader) for reader in READERS}
    found["superuser"] = _operator("superuser", is_superuser=True)
    found["one thing"] = _operator("one-thing")
    services.grant_set(
        user=User.objects.get(username="one-thing"),
        name="operate",
        thing="pool:elsewhere",
        actor="test",
    )
    found["ended"] = _operator("ended")
    services.user_deactivate(user=User.objects.get(username="ended"), actor="test", reason="test")
    for name, account in (("token", None), ("other token", world.other)):
        _, secret = token_create(name=name, account=account, resources=["*"], actor="test")
        found[name] = _program(secret)
    found["visitor"] = _program(
        visitor_token(desk="own-desk", visit="v1", account_id=world.own.pk, seconds=3600)
    )
    return found


def _operator(name: str, *, is_superuser: bool = False) -> Client:
    user = services.user_create(
        username=name, email=f"{name}@example.com", is_operator=True, actor="test"
    )
    if is_superuser:
        user.is_superuser = True
        user.save()
    client = Client()
    client.force_login(user)
    return client


def _program(secret: str) -> Client:
    return Client(headers={"authorization": f"Bearer {secret}"})


def word_of(response: HttpResponse) -> str:
    """Return `login`, `no`, `hidden`, `invalid` (400) or `ok`; for a server error, its status."""
    if response.status_code in (301, 302) and "/login/" in response["Location"]:
        return "login"
    words = {400: "invalid", 401: "login", 403: "no", 404: "hidden", 405: "method"}
    fault = f"error {response.status_code}"
    return words.get(response.status_code, "ok" if response.status_code < 500 else fault)
