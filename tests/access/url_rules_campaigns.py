"""The rows of tests/access/url_rules.py for campaigns and opt-outs."""

from collections.abc import Callable
from typing import Any

from django.utils import timezone

from billing import wallet as wallet_commands
from billing.models import Campaign, Chatbot, OptOut, Template, Wallet
from poolsite import hotpath
from tests.access.world import World

MEMBERS_OWN = {
    "nobody": "login",
    "operators": "ok",
    **dict.fromkeys(("owner", "admin", "payer", "sender", "foreign"), "ok"),
    "*": "no",
}
SEEN = {
    "nobody": "login",
    "foreign": "hidden",
    "roleless": "hidden",
    "agent": "no",
    "supervisor": "no",
    "*": "ok",
}
# Roles that may send. The account's other roles may only view, if that.
SENT = {**SEEN, "payer": "no", "operators": "no"}

SENT_AND_PAID = {**SENT, "sender": "no", "admin": "no", "owner": "confirm"}


def campaign(world: World) -> Campaign:
    """Return a draft campaign of the account `own`, created once."""
    wallet, made = Wallet.objects.get_or_create(
        account=world.own, defaults={"opened_at": timezone.now()}
    )
    if made:
        hotpath.run(wallet_commands.create("own", 1, wallet_commands.WalletSettings()))
    chatbot, _ = Chatbot.objects.get_or_create(account=world.own, slug="shop", name="Shop")
    template, _ = Template.objects.get_or_create(chatbot=chatbot, name="Hello")
    found, _ = Campaign.objects.get_or_create(
        wallet=wallet, chatbot=chatbot, template=template, name="Autumn", created_by="test"
    )
    return found


def of_wallet(template: str) -> Callable[[World], str]:
    """Return a function for a URL of the account `own`."""

    def make(world: World) -> str:
        campaign(world)
        return template

    return make


def of_campaign(template: str) -> Callable[[World], str]:
    """Return a function for a URL of the account's campaign."""
    return lambda world: f"/accounts/own/campaigns/{campaign(world).pk}/{template}"


def of_template(part: str) -> Callable[[World], str]:
    """Return a function for a URL of the account's template."""
    return lambda world: f"/accounts/own/templates/{campaign(world).template_id}/{part}"


def of_opt_out(world: World) -> str:
    """Return a URL of one of the account's opt-outs."""
    campaign(world)
    found, _ = OptOut.objects.get_or_create(
        account=world.own, number="+8613800130000", added_by="test"
    )
    return f"/accounts/own/opt-outs/{found.pk}/remove/"


def of_sent_campaign(world: World) -> str:
    """Return the URL that deletes a campaign that is no draft: the page refuses to do it."""
    found = campaign(world)
    Campaign.objects.filter(pk=found.pk).update(status=Campaign.Status.PAUSED)
    return f"/accounts/own/campaigns/{found.pk}/delete/"


# The API reads a body before it checks the caller.
BODY_FIRST = {"nobody": "login", "*": "ok"}
API_PAID = {**SENT, **dict.fromkeys(("owner", "admin", "sender"), "no")}  # second factor


def _in_api(make: Callable[[World], str]) -> Callable[[World], str]:
    """Return a function for the same object's URL in the API."""
    return lambda world: f"/api/v1{make(world).removesuffix('/')}"


def _chatbot(part: str) -> Callable[[World], str]:
    """Return a function for a URL of the account's chatbot."""
    return of_wallet(f"/accounts/own/chatbots/shop{part}")


def rows(Rule: Any) -> dict[str, Any]:  # noqa: N803  the table's own class
    """Return the API's rows."""
    one = "api/v1/accounts/<slug>"

    def post(answers: Any, make: Callable[[World], str]) -> Any:
        return Rule(answers, url=_in_api(make), method="post")

    return {
        **{
            f"{one}/{part}": Rule(SEEN, url=_in_api(of_wallet(f"/accounts/own/{part}")))
            for part in ("campaigns", "chatbots", "templates", "opt-outs")
        },
        **{
            f"{one}/campaigns/<campaign>{part}": Rule(SEEN, url=_in_api(of_campaign(part[1:])))
            for part in ("", "/recipients", "/dropped-rows", "/estimate")
        },
        **{
            f"{one}/campaigns/<campaign>/{verb}": post(SENT, of_campaign(verb))
            for verb in ("send", "pause", "resume")
        },
        **{
            f"{one}/campaigns/<campaign>/{verb}": post(BODY_FIRST, of_campaign(verb))
            for verb in ("test-send", "cancel")
        },
        f"{one}/campaigns/<campaign>/await-top-up": post(API_PAID, of_campaign("await-top-up")),
        f"{one}/chatbots/<chatbot>": Rule(SEEN, url=_in_api(_chatbot(""))),
        **{
            f"{one}/chatbots/<chatbot>/{verb}": post(SENT, _chatbot(f"/{verb}"))
            for verb in ("archive", "restore", "token")
        },
        f"{one}/templates/<template>": Rule(SEEN, url=_in_api(of_template(""))),
        **{
            f"{one}/templates/<template>/{verb}": post(SENT, of_template(verb))
            for verb in ("archive", "restore")
        },
        f"{one}/opt-outs/<opt_out>/remove": post(BODY_FIRST, of_opt_out),
    }
