"""Which module may import which: the one direction of imports, as data and a function."""

from collections.abc import Collection

APPS = ("numbers", "queueing.line", "queueing.admission", "queueing.dispatch", "billing")
MAY_NAME_APPS = {"poolsite.settings", "poolsite.urls", "poolsite.asgi"}
# An app requests a charged call or an agent's callback from another, only through its services.
MAY_CALL = {"queueing.line": ("numbers", "billing"), "numbers": ("billing",)}

# The packages of poolsite. Each imports only those before it (docs/architecture.md#packages).
MODULES = "*.py"  # files outside the packages, such as poolsite/moments.py
PACKAGES = (
    *("formats", "table_reader", MODULES, "hotpath", "limits", "access", "runtime", "live"),
    *("jobs", "celery", "timers", "history", "api", "console", "operations", "aggregates"),
    *("people", "reference", "backup", "settings"),
)

FACES = {"api", "hot_api", "views", "consumers", "admin", "urls", "tasks", "topics"}
FACES |= {"management", "templatetags", "forms", "overview", "search", "sources", "cards"}
FACES |= {"forms_limits", "menu"}
FACES |= {"sentences"}  # the history's sentences, with the labels of the forms
FACES |= {"guide"}  # the steps of a goal, with the forms and services of the pages
FACES |= {"undo_ways"}  # what the history undoes, through the services
FACES |= {"bulk_jobs", "demo", "demo_past"}  # jobs that a page started; the demo's data
FACES |= {"links"}  # the dispatcher's sockets
USE_CASES = {"services", "selectors", "imports"}
ANYWHERE = {"apps"}  # AppConfig.ready() wires the app together


def app_of(module: str) -> str:
    """Return the app that a dotted module belongs to, or an empty text.

    `numbers` alone is the standard library's module, `numbers.pool` is ours.
    """
    for app in APPS:
        if module.startswith(f"{app}.") or (module == app and app != "numbers"):
            return app
    return ""


def rank(module: str) -> int:
    """Return 3 for interfaces, 2 for services and selectors, 1 for domain objects and models.

    Return 4 for modules that may import anything.
    """
    part = module.removeprefix(app_of(module)).lstrip(".").partition(".")[0]
    if part in ANYWHERE:
        return 4
    if part in FACES:
        return 3
    return 2 if part in USE_CASES else 1


def package_place(module: str) -> int:
    """Return the place of a poolsite module in `PACKAGES`. Modules that name apps come last."""
    if module in MAY_NAME_APPS:
        return len(PACKAGES)
    name = module.split(".")[1]
    return PACKAGES.index(name if name in PACKAGES else MODULES)


def unknown_packages(folders: Collection[str]) -> set[str]:
    """Return the folders of poolsite that have no place in `PACKAGES`."""
    return set(folders) - set(PACKAGES)


def fault(importer: str, imported: str) -> str:
    """Return what is wrong with `importer` importing `imported`, or an empty text."""
    theirs = app_of(imported)
    own = app_of(importer)
    top = importer.partition(".")[0]
    if top == "integrations" and (theirs or imported.startswith("poolsite.")):
        return "integrations are clients of the public interfaces"
    if top == "poolsite" and theirs and importer not in MAY_NAME_APPS:
        return "only settings, urls and asgi of the ground floor name apps"
    inside = top == "poolsite" and "." in importer and imported.startswith("poolsite.")
    if inside and package_place(importer) < package_place(imported):
        return "a package of poolsite uses only those before it"
    if not own or not theirs:
        return ""
    if own != theirs:
        service = imported.removeprefix(theirs).lstrip(".").partition(".")[0] == "services"
        if theirs in MAY_CALL.get(own, ()) and service:
            return ""
        return "apps know each other's services only, in one direction"
    if rank(importer) < rank(imported):
        return "imports run from faces to services to the thing"
    return ""
