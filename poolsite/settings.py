"""The only settings file. Values that differ between machines come from the environment.

Every variable is described in docs/operations/settings.md, in one table. A test compares the two.
"""

import gc
import sys
from datetime import timedelta
from pathlib import Path
from urllib.parse import quote

from django.templatetags.static import static
from django.utils.translation import gettext_lazy

from poolsite.operations.logs import logging_config
from poolsite.runtime import stores
from poolsite.runtime.environment import SettingsReader
from poolsite.runtime.paths import redis_socket

# Importing the apps creates many objects that stay. With Python's own threshold of 700, garbage
# collection would take a sixth of the time that a process needs to start.
gc.set_threshold(20_000, 20, 20)

env = SettingsReader()
BASE_DIR = Path(__file__).resolve().parent.parent

# -- paths and addresses --------------------------------------------------------------
DATA_DIR = Path(env.str("POOLSITE_DATA_DIR", default=str(BASE_DIR / "var"))).resolve()
DEBUG = env.bool("POOLSITE_DEBUG", default=False)
DEMO = env.bool("POOLSITE_DEMO", default=False)
DEFAULT_SECRET_KEY = "insecure-default-secret-refused-outside-debug"  # noqa: S105
SECRET_KEY = env.str("POOLSITE_SECRET_KEY", default=DEFAULT_SECRET_KEY)
SECRET_KEY_FALLBACKS = env.list("POOLSITE_OLD_SECRET_KEYS", default=[])
ALLOWED_HOSTS = env.list("POOLSITE_ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("POOLSITE_TRUSTED_ORIGINS", default=[])
BEHIND_TLS = env.bool("POOLSITE_BEHIND_TLS", default=False)
DRAIN_SECONDS = env.float("POOLSITE_DRAIN_SECONDS", default=30.0)  # for websockets, at the end
PUBLIC_HOST = env.str("POOLSITE_PUBLIC_HOST", default="")
SITE_HOST = PUBLIC_HOST or "127.0.0.1:8000"  # if no request names one
PLATFORM_NAME = env.str("POOLSITE_PLATFORM_NAME", default="Poolsite")
PLATFORM_ZONE = env.str("POOLSITE_PLATFORM_ZONE", default="Asia/Shanghai")
PLATFORM_CURRENCY = env.str("POOLSITE_PLATFORM_CURRENCY", default="CNY")
PLATFORM_REGION = env.str("POOLSITE_PLATFORM_REGION", default="CN")  # of numbers without a +

# -- Redis: one URL for each use (docs/operations/settings.md) -----------------------------------
EMBEDDED_REDIS_SOCKET = redis_socket(DATA_DIR / "redis")
REDIS_URL = env.str("REDIS_URL", default=f"unix://{EMBEDDED_REDIS_SOCKET}")
_ONE_SERVER = stores.one_server_of(REDIS_URL)
CACHE_URL = env.str("CACHE_URL", default=_ONE_SERVER)
BROKER_ADDRESS = env.str("CELERY_BROKER_URL", default=_ONE_SERVER)  # not in Celery's form yet
CELERY_BROKER_URL, _BROKER_OPTIONS = stores.broker(BROKER_ADDRESS)

# -- SQL ----------------------------------------------------------------------------------
SQL_POOLER = env.bool("POOLSITE_SQL_POOLER", default=False)
DATABASES = {
    "default": env.db_url("DATABASE_URL", default=f"sqlite:///{DATA_DIR / 'poolsite.sqlite3'}")
}
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": (
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;"
        ),
    }
    # A file, as in production: threads lock an in-memory database differently.
    DATABASES["default"]["TEST"] = {"NAME": str(DATA_DIR / "test.sqlite3")}
else:
    DATABASES["default"]["OPTIONS"] = {"pool": {"min_size": 1, "max_size": 8, "timeout": 10}}
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True  # when taken from the pool
    # A cursor belongs to one session of PostgreSQL; a pooler gives each transaction another one.
    DATABASES["default"]["DISABLE_SERVER_SIDE_CURSORS"] = SQL_POOLER
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

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
AUTH_USER_MODEL = "access.User"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "poolsite.access.backends.NameOrEmailBackend",
]
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

# -- people, sessions, secure defaults ----------------------------------------------------
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 10},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
AXES_HANDLER = "poolsite.access.logins.LoginThrottle"
AXES_CLIENT_IP_CALLABLE = "poolsite.access.addresses.client_address"
AXES_USERNAME_CALLABLE = "poolsite.access.logins.axes_username"
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"], "username", "ip_address"]
AXES_LOCKOUT_CALLABLE = "poolsite.people.views.log_in.locked_out"
AXES_FAILURE_LIMIT = 1  # the handler returns 1 when a limit below is reached
LOGIN_FAILURES_TOGETHER = env.int("POOLSITE_LOGIN_FAILURES_TOGETHER", default=5)
LOGIN_FAILURES_BY_USER = env.int("POOLSITE_LOGIN_FAILURES_BY_USER", default=20)
LOGIN_FAILURES_BY_ADDRESS = env.int("POOLSITE_LOGIN_FAILURES_BY_ADDRESS", default=50)
# Requests per second, bad tokens per minute; 0 means no limit.
RATE_PER_TOKEN = env.int("POOLSITE_RATE_PER_TOKEN", default=10_000)
RATE_PER_ACCOUNT = env.int("POOLSITE_RATE_PER_ACCOUNT", default=20_000)
RATE_PER_USER = env.int("POOLSITE_RATE_PER_USER", default=50)
RATE_PER_ADDRESS = env.int("POOLSITE_RATE_PER_ADDRESS", default=20)
BAD_TOKENS_PER_ADDRESS = env.int("POOLSITE_BAD_TOKENS_PER_ADDRESS", default=30)
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_ENABLE_ADMIN = AXES_VERBOSE = False
AXES_DISABLE_ACCESS_LOG = True
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False  # more guesses don't extend a lock
# The demo's mail is written to files, never to the log: its links are secrets. See
# runtime/safety.py.
EMAIL_CONFIG = env.email_url("EMAIL_URL", default=f"filemail:///{quote(str(DATA_DIR / 'mail'))}")
vars().update(EMAIL_CONFIG)
EMAIL_TIMEOUT = 10  # seconds; a hanging mail server must not block a page or a worker
DEFAULT_FROM_EMAIL = SERVER_EMAIL = env.str("POOLSITE_MAIL_FROM", default="poolsite@localhost")
PASSWORD_RESET_TIMEOUT = 3600
LOGIN_URL = "/login/"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/login/"
SESSION_ENGINE = "poolsite.access.sessions"
SESSION_COOKIE_NAME = "__Host-session" if BEHIND_TLS else "session"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = BEHIND_TLS
SESSION_COOKIE_AGE = env.int("POOLSITE_SESSION_IDLE_SECONDS", default=12 * 3600)
SESSION_ABSOLUTE_SECONDS = env.int("POOLSITE_SESSION_ABSOLUTE_SECONDS", default=24 * 3600)
SECOND_FACTOR_FOR_MONEY = env.bool("POOLSITE_SECOND_FACTOR_FOR_MONEY", default=not DEMO)
SECOND_FACTOR_FRESH_SECONDS = env.int("POOLSITE_SECOND_FACTOR_FRESH_SECONDS", default=600)
# How long people who gave each other access don't count as two pairs of eyes; at least a day.
FOUR_EYES_APART_DAYS = max(1, env.int("POOLSITE_FOUR_EYES_APART_DAYS", default=30))
PASSWORD_FRESH_SECONDS = env.int("POOLSITE_PASSWORD_FRESH_SECONDS", default=300)
# Login by allauth (docs/decisions/0038). axes throttles it, and `access.limiting` the mails.
ACCOUNT_ADAPTER = "poolsite.access.adapters.AccountAdapter"
MFA_ADAPTER = "poolsite.access.adapters.MfaAdapter"
USERSESSIONS_ADAPTER = "poolsite.access.adapters.SessionsAdapter"
ACCOUNT_FORMS = {
    "login": "poolsite.people.log_in_forms.LoginForm",
    "reauthenticate": "poolsite.people.log_in_forms.ReauthenticateForm",
    "change_password": "poolsite.people.log_in_forms.ChangePasswordForm",
    "reset_password": "poolsite.people.log_in_forms.ResetForm",
    "reset_password_from_key": "poolsite.people.log_in_forms.NewPasswordForm",
}
MFA_FORMS = {
    "authenticate": "poolsite.people.log_in_forms.CodeForm",
    "reauthenticate": "poolsite.people.log_in_forms.ConfirmForm",
    "activate_totp": "poolsite.people.log_in_forms.AppForm",
    "generate_recovery_codes": "poolsite.people.log_in_forms.RecoveryCodesForm",
    "add_webauthn": "poolsite.people.log_in_forms.PasskeyForm",
}
ACCOUNT_RATE_LIMITS = False
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_LOGIN_TIMEOUT = 300  # seconds from the password to the second factor
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_PASSWORD_RESET_TOKEN_GENERATOR = "poolsite.access.reset_links.ResetLinks"  # noqa: S105
ACCOUNT_REAUTHENTICATION_TIMEOUT = PASSWORD_FRESH_SECONDS
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_WEBAUTHN_USER_VERIFICATION = "required"  # so that a passkey alone is two factors
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = not BEHIND_TLS
MFA_ALLOW_UNVERIFIED_EMAIL = True  # we check addresses ourselves, by invitation
MFA_RECOVERY_CODES_SHOW_ONCE = True
MFA_RECOVERY_CODE_DIGITS = 12
# Single sign-on (docs/decisions/0051); off without an issuer. OIDC_ROLES: access/oidc/mapping.py
OIDC_ISSUER = env.str("POOLSITE_OIDC_ISSUER", default="").rstrip("/")
OIDC_CLIENT_ID = env.str("POOLSITE_OIDC_CLIENT_ID", default="")
OIDC_CLIENT_SECRET = env.str("POOLSITE_OIDC_CLIENT_SECRET", default="")
OIDC_NAME = env.str("POOLSITE_OIDC_NAME", default="single sign-on")
OIDC_SCOPES = env.list("POOLSITE_OIDC_SCOPES", default=["openid", "profile", "email"])
OIDC_GROUPS_CLAIM = env.str("POOLSITE_OIDC_GROUPS_CLAIM", default="groups")
OIDC_ROLES = env.str("POOLSITE_OIDC_ROLES", default="{}")
OIDC_ONLY = env.bool("POOLSITE_OIDC_ONLY", default=False)
SOCIALACCOUNT_ADAPTER = "poolsite.access.oidc.adapter.SingleSignOnAdapter"
SOCIALACCOUNT_REQUESTS_TIMEOUT = 5  # seconds; a hanging provider must not block many pages
MFA_RATE_LIMITS = False  # a passkey can't be guessed, and an office shares an address
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

# -- cache, Celery ----------------------------------------------------------------------
CACHES = {"default": stores.cache(CACHE_URL)}
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "global_keyprefix": "celery:",
    "visibility_timeout": 3600,
    **_BROKER_OPTIONS,
}
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # forever: no one is there to restart it
CELERY_WORKER_CONSUMER = "poolsite.jobs.lasting:LastingConsumer"
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_DEFAULT_QUEUE = "jobs"
# poolsite/jobs/registry.py assigns each sweep and job. A worker without -Q takes all queues.
CELERY_TASK_QUEUES: dict[str, dict[str, str]] = {"jobs": {}, "books": {}, "history": {}}
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_DB_REUSE_MAX = 1_000  # tasks; broken or old ones close earlier (poolsite/celery.py)
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULER = "poolsite.jobs.beat:SweepScheduler"

# -- history, jobs, operations ------------------------------------------------------------
HISTORY_BATCH = env.int("POOLSITE_HISTORY_BATCH", default=2_000)  # entries per SQL transaction
HISTORY_TAIL = env.int("POOLSITE_HISTORY_TAIL", default=2_000)  # committed entries kept in Redis
HISTORY_DRAIN_SECONDS = env.int("POOLSITE_HISTORY_DRAIN_SECONDS", default=4 if DEMO else 2)
HISTORY_SHARDS = env.int("POOLSITE_HISTORY_SHARDS", default=4)  # written in parallel
HISTORY_KEEP_DAYS = env.int("POOLSITE_HISTORY_KEEP_DAYS", default=396)  # 13 months
CALLS_KEEP_DAYS = env.float(
    "POOLSITE_CALLS_KEEP_DAYS", default=1 / 24 if DEMO else HISTORY_KEEP_DAYS
)  # calls and events of pools
METRICS_TOKEN = env.str("POOLSITE_METRICS_TOKEN", default="")
SWEEP_SHARDS = env.int("POOLSITE_SWEEP_SHARDS", default=1 if DEMO else 0)  # 0: unlimited
LOG_FORMAT = env.str("POOLSITE_LOG_FORMAT", default="console" if DEBUG or DEMO else "json")
LOG_LEVEL = env.str("POOLSITE_LOG_LEVEL", default="INFO")
LOGGING = logging_config(LOG_FORMAT, LOG_LEVEL)
OUTGOING_PRIVATE_ADDRESSES = env.bool("POOLSITE_OUTGOING_PRIVATE_ADDRESSES", default=False)
OUTGOING_PORTS = env.list("POOLSITE_OUTGOING_PORTS", cast=int, default=[80, 443, 8080, 8443])

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

# -- money -----------------------------------------------------------------------------
BILLING_FOUR_EYES_ABOVE = env.int("POOLSITE_FOUR_EYES_ABOVE", default=0)  # units; 0: always
BILLING_PERSIST_SECONDS = env.float("POOLSITE_PERSIST_SECONDS", default=5.0 if DEMO else 60.0)
BILLING_SHARDS = env.int("POOLSITE_BILLING_SHARDS", default=1 if DEMO else 4)  # persistence
BILLING_AUDIT_SECONDS = env.float("POOLSITE_AUDIT_SECONDS", default=30.0 if DEMO else 300.0)
BILLING_KEEP_DAYS = env.int("POOLSITE_BILLING_KEEP_DAYS", default=396)  # ended messages, in SQL
BILLING_REDIS_URLS = env.dict("POOLSITE_BILLING_REDIS_URLS", default={})  # name=url,name=url
BILLING_GATEWAY = env.str("POOLSITE_GATEWAY", default="http")  # a folder of billing/gateways
BILLING_GATEWAY_URL = env.str("POOLSITE_GATEWAY_URL", default="")
BILLING_GATEWAY_TOKEN = env.str("POOLSITE_GATEWAY_TOKEN", default="")
BILLING_GATEWAY_CONCURRENCY = env.int("POOLSITE_GATEWAY_CONCURRENCY", default=32)
PAYMENT_MODEL = "billing.Recharge"
PAYMENT_HOST = SITE_HOST
PAYMENT_USES_SSL = BEHIND_TLS
PAYMENTS = env.list("POOLSITE_PAYMENTS", default=["demo"] if DEMO else [])
_PROVIDERS: dict[str, tuple[str, dict[str, object]]] = {
    "demo": ("billing.recharging.demo_provider.DemoProvider", {}),
    "stripe": (
        "billing.recharging.stripe_provider.StripeProvider",
        {
            "api_key": env.str("POOLSITE_STRIPE_SECRET_KEY", default=""),
            "endpoint_secret": env.str("POOLSITE_STRIPE_WEBHOOK_SECRET", default=""),
        },
    ),
}
PAYMENT_VARIANTS = {name: _PROVIDERS[name] for name in PAYMENTS if name in _PROVIDERS}
BILLING_ABILITY_PROVIDER = env.str("POOLSITE_ABILITY_PROVIDER", default="table")  # or http
BILLING_ABILITY_URL = env.str("POOLSITE_ABILITY_URL", default="")
BILLING_ABILITY_TOKEN = env.str("POOLSITE_ABILITY_TOKEN", default="")
