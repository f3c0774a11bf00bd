"""The pages that `make screenshots` takes, and the pictures that the tree keeps."""

from dataclasses import dataclass
from itertools import product

from tests.browser.console import DESKTOP, PHONE

OPERATOR, CUSTOMER, AGENT, VISITOR = "lin.mei", "wang.fang", "li.jun", ""
POOL = "/pools/retail-east/"
GATE = "/gates/speed-025/"
GROUP = "/groups/asi/"
DESK = "/desks/support/"
MONEY = "/accounts/evergreen/"
CHOOSE_A_TILE = "document.querySelector('.tile-list .tile[data-state=\"C\"]')?.click()"

# name, page, the user, what is clicked first
PAGES = (
    ("overview", "/overview/", OPERATOR, ""),
    ("incidents", "/incidents/", OPERATOR, ""),
    ("pools", "/pools/", OPERATOR, ""),
    ("pool", POOL, OPERATOR, CHOOSE_A_TILE),
    ("pool-settings", f"{POOL}settings/", OPERATOR, ""),
    ("numbers", "/numbers/", OPERATOR, ""),
    ("imports", "/imports/", OPERATOR, ""),
    ("who-had", "/who-had/", OPERATOR, ""),
    ("gates", "/gates/", OPERATOR, ""),
    ("gate", GATE, OPERATOR, ""),
    ("gate-holders", f"{GATE}holders/", OPERATOR, ""),
    ("gate-settings", f"{GATE}settings/", OPERATOR, ""),
    ("batches", f"{GATE}batches/", OPERATOR, ""),
    ("desks", "/desks/", OPERATOR, ""),
    ("wallboard", DESK, OPERATOR, ""),
    ("wallboard-replay", f"{DESK}replay/", OPERATOR, ""),
    ("desk-floor", f"{DESK}floor/", OPERATOR, ""),
    ("desk-reports", f"{DESK}reports/?by=queue", OPERATOR, ""),
    ("desk-forecast", f"{DESK}forecast/?agents=5", OPERATOR, ""),
    ("desk-messages", f"{DESK}messages/", OPERATOR, ""),
    ("desk-settings", f"{DESK}settings/", OPERATOR, ""),
    ("groups", "/groups/", OPERATOR, ""),
    ("group", GROUP, OPERATOR, ""),
    ("group-events", f"{GROUP}events/", OPERATOR, ""),
    ("group-settings", f"{GROUP}settings/", OPERATOR, ""),
    ("accounts", "/billing/accounts/", OPERATOR, ""),
    ("account", f"/billing{MONEY}", OPERATOR, ""),
    ("holds", "/billing/holds/", OPERATOR, ""),
    ("books", "/billing/books/", OPERATOR, ""),
    ("money-audit", "/billing/audit/", OPERATOR, ""),
    ("flagged", "/billing/flagged/", OPERATOR, ""),
    ("rules", "/billing/rules/", OPERATOR, ""),
    ("terminals", "/billing/terminals/", OPERATOR, ""),
    ("people", f"{MONEY}people/", OPERATOR, ""),
    ("tokens", "/tokens/", OPERATOR, ""),
    ("history", "/history/", OPERATOR, ""),
    ("system", "/system/", OPERATOR, ""),
    ("balance", "/balance/", CUSTOMER, ""),
    ("explain", f"{MONEY}explain/spendable/", CUSTOMER, ""),
    ("campaigns", "/campaigns/", CUSTOMER, ""),
    ("messages", "/messages/", CUSTOMER, ""),
    ("usage", "/usage/", CUSTOMER, ""),
    ("statements", "/statements/", CUSTOMER, ""),
    ("prices", "/prices/", CUSTOMER, ""),
    ("top-ups", "/top-ups/", CUSTOMER, ""),
    ("agent", "/agent/", AGENT, ""),
    ("visitor", "/q/support-billing/", VISITOR, ""),
    ("log-in", "/login/", VISITOR, ""),
)
LANGUAGES = {"en": "en-GB", "zh": "zh-CN"}
THEMES = ("light", "dark")
WINDOWS = {"desktop": DESKTOP, "phone": PHONE}


@dataclass(frozen=True)
class Variant:
    """A variant in which every page is shown."""

    language: str
    theme: str
    window: str

    @property
    def name(self) -> str:
        """The folder of its pictures."""
        return f"{self.language}-{self.theme}-{self.window}"


VARIANTS = tuple(Variant(*each) for each in product(LANGUAGES, THEMES, WINDOWS))
LIGHT = Variant("en", "light", "desktop")
DARK = Variant("en", "dark", "desktop")
ON_PHONE = Variant("en", "light", "phone")
IN_CHINESE = Variant("zh", "light", "desktop")

# The pictures kept in docs/screenshots: file name, page, variant. All pictures: var/screenshots.
KEPT = (
    ("overview", "overview", LIGHT),
    ("overview-dark", "overview", DARK),
    ("overview-phone", "overview", ON_PHONE),
    ("overview-chinese", "overview", IN_CHINESE),
    ("pools", "pools", LIGHT),
    ("pool-live", "pool", LIGHT),
    ("pool-live-dark", "pool", DARK),
    ("pool-live-phone", "pool", ON_PHONE),
    ("numbers", "numbers", LIGHT),
    ("imports", "imports", LIGHT),
    ("gate", "gate", LIGHT),
    ("group", "group", LIGHT),
    ("wallboard", "wallboard", DARK),
    ("desk-floor", "desk-floor", LIGHT),
    ("agent", "agent", LIGHT),
    ("visitor", "visitor", ON_PHONE),
    ("balance", "balance", LIGHT),
    ("balance-chinese", "balance", IN_CHINESE),
    ("system", "system", LIGHT),
)
KEPT_BYTES = 4_000_000
