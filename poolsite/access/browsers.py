"""What a browser is called in the list of sessions."""

# The first that stands in the text: Chrome's says Safari too, Edge's says Chrome.
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
    """The two names in a user agent; "" for what it does not tell."""
    browser = next((name for mark, name in BROWSERS if mark in agent), "")
    return browser, next((name for mark, name in SYSTEMS if mark in agent), "")
