"""How pages are served: apps, middleware, templates, security headers, languages, static files."""

import sys

from django.templatetags.static import static
from django.utils.translation import gettext_lazy

from poolsite.settings.site import BASE_DIR, BEHIND_TLS, DATA_DIR, PLATFORM_NAME, env

# -- installed apps and middleware -----------------------------------------------------
INSTALLED_APPS = [
    # It gives `runserver` its sockets. The other processes need not load Twisted for it.
    *(["daphne"] if "runserver" in sys.argv else []),
    "unfold",
    "unfold.contrib.filters",
    "django.contrib.admin.apps.SimpleAdminConfig",  # poolsite.urls finds the apps' admin pages
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "allauth.socialaccount",
    "axes",
    "csp",
    "poolsite.access.apps.AccessConfig",
    "poolsite.hotpath.apps.HotpathConfig",
    "poolsite.history.apps.HistoryConfig",
    "poolsite.live.apps.LiveConfig",
    "poolsite.jobs.apps.JobsConfig",
    "poolsite.timers.apps.TimersConfig",
    "poolsite.console.apps.ConsoleConfig",
    "poolsite.operations.apps.OperationsConfig",
    "poolsite.people.apps.PeopleConfig",
    "poolsite.runtime.apps.RuntimeConfig",
    "poolsite.backup.apps.BackupConfig",
    "numbers.apps.NumbersConfig",
    "billing.apps.BillingConfig",
    "queueing.line.apps.LineConfig",
    "queueing.admission.apps.AdmissionConfig",
    "queueing.dispatch.apps.DispatchConfig",
]
MIDDLEWARE = [
    "poolsite.access.middleware.RequestNameMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",  # outside: for refusals, too
    "csp.middleware.CSPMiddleware",
    "poolsite.access.middleware.HeadersMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "poolsite.access.middleware.PrincipalMiddleware",  # inside: it answers reauthentication
    "poolsite.console.reader.ReaderMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "axes.middleware.AxesMiddleware",
]
ROOT_URLCONF = "poolsite.urls"
ASGI_APPLICATION = "poolsite.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "csp.context_processors.nonce",
                "poolsite.console.pages.context",
            ]
        },
    }
]

# -- proxies, security headers ----------------------------------------------------------
TRUSTED_PROXIES = env.list("POOLSITE_TRUSTED_PROXIES", default=[])
CSRF_COOKIE_NAME = "__Host-csrf" if BEHIND_TLS else "csrf"
SECURE_SSL_REDIRECT = BEHIND_TLS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_TLS else None
# For this host only, unless the operator promises HTTPS for every host of the domain.
SECURE_HSTS_SECONDS = env.int("POOLSITE_HSTS_SECONDS", default=365 * 24 * 3600 if BEHIND_TLS else 0)
SECURE_HSTS_INCLUDE_SUBDOMAINS = env.bool("POOLSITE_HSTS_SUBDOMAINS", default=False)
SECURE_HSTS_PRELOAD = env.bool("POOLSITE_HSTS_PRELOAD", default=False)
# W005 and W021 advise both for every site, but only the owner of the domain can promise them.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "manifest-src": ["'self'"],
        "form-action": ["'self'"],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
    }
}

# -- languages, zones, static files -----------------------------------------------------
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文")]
LANGUAGE_COOKIE_AGE = 365 * 24 * 3600
LANGUAGE_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_SAMESITE = "Lax"
LANGUAGE_COOKIE_SECURE = BEHIND_TLS
LOCALE_PATHS = [BASE_DIR / "locale"]
FORMAT_MODULE_PATH = ["poolsite.formats"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"
STATIC_URL = "/static/"
STATIC_ROOT = DATA_DIR / "staticfiles"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "poolsite.api.static_names.HashedNames"},
    # Files of rooms: without an address, readable only by us (docs/operations/stores.md).
    "attachments": env.json("POOLSITE_ATTACHMENTS_STORAGE", default=None)
    or {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {
            "location": str(DATA_DIR / "attachments"),
            "file_permissions_mode": 0o600,
            "directory_permissions_mode": 0o700,
        },
    },
}

# -- the admin's theme: the console's own tokens (docs/reference/platform/console.md) -------------
UNFOLD = {
    "SITE_TITLE": PLATFORM_NAME,
    "SITE_HEADER": PLATFORM_NAME,
    "SITE_ICON": lambda request: static("favicon.svg"),
    "DASHBOARD_CALLBACK": "poolsite.console.admin_index.dashboard",
    "SITE_URL": "/",
    "SHOW_BACK_BUTTON": True,
    "STYLES": [
        lambda request: static("tokens.css"),
        lambda request: static("css/tiles.css"),
        lambda request: static("css/admin.css"),
    ],
    "SITE_DROPDOWN": [
        {"icon": "arrow_back", "title": gettext_lazy("Back to the console"), "link": "/"}
    ],
    "SIDEBAR": {"show_search": True, "show_all_applications": False},
}
