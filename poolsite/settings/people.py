"""Who comes in: accounts, log-in, sessions, second factors, single sign-on, limits, mail."""

from datetime import timedelta
from urllib.parse import quote

from poolsite.settings.site import BEHIND_TLS, DATA_DIR, DEMO, env

AUTH_USER_MODEL = "access.User"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "poolsite.access.backends.NameOrEmailBackend",
]
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
