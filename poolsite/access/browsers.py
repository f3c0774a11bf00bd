"""Names of browsers in the list of sessions."""

# The first match wins: Chrome's text also contains Safari, Edge's also contains Chrome.
BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("Opera", "Opera"),
    ("MicroMessenger", "WeChat"),
    ("SamsungBrowser", "Samsung Internet"),
    ("Firefox", "Firefox"),
    ("FxiOS", "Firefox"),
    ("CriOS", "Chrome"),
    ("Chrome", "Chrome"),
    ("Safari", "Safari"),
)
SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Macintosh", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


def browser_and_system(agent: str) -> tuple[str, str]:
    """Return the browser and the system of a user agent, each "" if unknown."""
    browser = next((name for mark, name in BROWSERS if mark in agent), "")
    return browser, next((name for mark, name in SYSTEMS if mark in agent), "")
