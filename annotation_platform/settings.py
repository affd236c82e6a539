"""The one settings file. The environment is read here, by `environment.py`; docs/reference/settings.md lists it.
What the libraries of the API are told, whatever the environment, is in `settings_of_api.py`.

Without any environment the platform runs *embedded*: SQLite and a Celery broker made of files, both under
``DATA_DIR``, with a secret key that is made on first use. ``PLATFORM_MODE=production`` takes everything from
the environment, and what is missing there, or cannot be meant, is an error.
"""

import os
import secrets
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from annotation_platform import environment
from annotation_platform.settings_of_api import REST_FRAMEWORK as REST_FRAMEWORK
from annotation_platform.settings_of_api import SPECTACULAR_SETTINGS as SPECTACULAR_SETTINGS

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = environment.folder("DATA_DIR", Path(environment.text("DATA_DIR", str(BASE_DIR / ".embedded"))).resolve())

MODE = environment.text("PLATFORM_MODE", "embedded")
if MODE not in ("embedded", "production"):
    raise ImproperlyConfigured(f"PLATFORM_MODE is {MODE!r}; it must be 'embedded' or 'production'.")
PRODUCTION = MODE == "production"
DEBUG = environment.switch("DEBUG", default=False) and not PRODUCTION
DEMO = environment.switch("DEMO", default=False) and not PRODUCTION  # one-click sign-in for the three roles


def required_in_production(name: str, embedded: str) -> str:
    return environment.required(name) if PRODUCTION else environment.text(name, embedded)


def embedded_secret_key() -> str:
    """A key that is made once and kept in the data directory, so that sessions outlive a restart."""
    path = DATA_DIR / "secret_key"
    try:
        if not path.exists():
            write_first(path, secrets.token_urlsafe(50))
        return path.read_text()
    except OSError as error:
        raise unreadable(path, error) from None


def write_first(path: Path, text: str) -> None:
    """Make a file of one's own, unless it is there; whole at once, since web server and worker begin together."""
    descriptor, part = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with open(descriptor, "w") as file:
            file.write(text)
        with suppress(FileExistsError):
            os.link(part, path)
    finally:
        os.unlink(part)


def unreadable(path: Path, error: OSError) -> ImproperlyConfigured:
    return ImproperlyConfigured(
        f"DATA_DIR: {path} cannot be made or read ({error.strerror}). It belongs to whoever started the platform "
        "here first; run this as the same user, or name another DATA_DIR."
    )


SECRET_KEY = environment.secret("SECRET_KEY") if PRODUCTION else environment.text("SECRET_KEY") or embedded_secret_key()
# Who annotators are on other platforms is encrypted with keys derived from the first of these; the others still read.
IDENTITY_KEYS = environment.secrets("IDENTITY_KEYS")
# Whether webhooks may go to private networks, and there without encryption.
WEBHOOK_PRIVATE_ADDRESSES = environment.switch("WEBHOOK_PRIVATE_ADDRESSES", default=False)
PROLIFIC_API_URL = environment.web_address("PROLIFIC_API_URL") or "https://api.prolific.com/api/v1"
PROLIFIC_APP_URL = environment.web_address("PROLIFIC_APP_URL") or "https://app.prolific.com"
ALLOWED_HOSTS = environment.hosts(
    required_in_production("ALLOWED_HOSTS", "localhost,127.0.0.1,[::1],testserver"), "ALLOWED_HOSTS"
)
CSRF_TRUSTED_ORIGINS = environment.origins("CSRF_TRUSTED_ORIGINS")
# Where links in mails that the worker writes lead to; requests know their own address.
PLATFORM_URL = (
    environment.web_address("PLATFORM_URL")
    or (environment.address_of(ALLOWED_HOSTS) if PRODUCTION else "http://localhost:8000")
).rstrip("/")
REDIS_URL = environment.redis_address(required_in_production("REDIS_URL", ""), "REDIS_URL")

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "csp",
    "django_htmx",
    "template_partials",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "annotation_platform.accounts",
    "annotation_platform.jobs",
    "annotation_platform.corpus",
    "annotation_platform.studies",
    "annotation_platform.annotations",
    "annotation_platform.scoring",
    "annotation_platform.imports",
    "annotation_platform.analysis",
    "annotation_platform.crowd",
    "annotation_platform.releases",
    "annotation_platform.scoreback",
    "annotation_platform.webhooks",
    "annotation_platform.workspace",
    "annotation_platform.api",
    "annotation_platform.demo",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "annotation_platform.middleware.LanguageMiddleware",
    "annotation_platform.middleware.ZoneMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "annotation_platform.middleware.NulMiddleware",
    "annotation_platform.middleware.DomainErrorMiddleware",
]

ROOT_URLCONF = "annotation_platform.urls"
WSGI_APPLICATION = "annotation_platform.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "frontend_templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "builtins": [
                "template_partials.templatetags.partials",
                "annotation_platform.accounts.templatetags.mappings",
                "annotation_platform.accounts.templatetags.moments",
            ],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]

# --- Storage ---------------------------------------------------------------------------------------------

DATABASE_URL = required_in_production("DATABASE_URL", f"sqlite:///{quote(str(DATA_DIR / 'platform.sqlite3'))}")
DATABASES: dict[str, Any] = {
    "default": environment.database(DATABASE_URL, "DATABASE_URL", postgres_only=PRODUCTION),
}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # Writers take the lock when they begin, so that two of them wait for each other instead of failing.
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 30,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;",
    }
else:
    # Questions of pages are short; where their cost is overestimated, compiling them takes seconds (PostgreSQL's JIT).
    DATABASES["default"].setdefault("OPTIONS", {}).setdefault("options", "-c jit=off")
if test_name := environment.text("TEST_DB_NAME"):
    DATABASES["default"]["TEST"] = {"NAME": test_name}  # several test runs beside each other on one server
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
EXPORTS_DIR = DATA_DIR / "exports"
HOLDS_DIR = DATA_DIR / "holds"  # locks of requests that are being worked on, beside SQLite
RELEASES_DIR = DATA_DIR / "releases"
IMPORTS_DIR = DATA_DIR / "imports"  # files that people upload stay here until they are imported or given up
IMPORT_MAX_MEGABYTES = environment.whole_number("IMPORT_MAX_MEGABYTES", 500, low=1)

if REDIS_URL:
    # Only attempts at signing in are counted there. Sessions are in the database, which is needed anyhow.
    CACHES = {
        "default": {
            "BACKEND": "annotation_platform.server.cache.ForgivingRedisCache",
            "LOCATION": REDIS_URL,
            "OPTIONS": {"socket_timeout": 0.5, "socket_connect_timeout": 0.5, "retry": None},
        }
    }

# --- Background work -------------------------------------------------------------------------------------

CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # a broker may be away for hours; the worker waits for it
CELERY_BROKER_URL = REDIS_URL or "filesystem://localhost"
if REDIS_URL:
    CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any] = {
        "visibility_timeout": 3600,
        "socket_connect_timeout": 5,
        "socket_timeout": 30,  # a broker that has gone silent is noticed; workers ask it every second
        "socket_keepalive": True,
    }
else:
    BROKER_DIR = DATA_DIR / "broker"
    for folder in ("messages", "control"):
        environment.folder("DATA_DIR", BROKER_DIR / folder)
    CELERY_BROKER_TRANSPORT = "workers.broker:Transport"
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "polling_interval": 0.5,  # seconds
        "data_folder_in": str(BROKER_DIR / "messages"),
        "data_folder_out": str(BROKER_DIR / "messages"),
        "control_folder": str(BROKER_DIR / "control"),
    }
CELERY_BEAT_SCHEDULE_FILENAME = str(DATA_DIR / "beat-schedule")
# A run whose worker has not been heard of for so long may be taken over by another worker.
RUN_STALE_AFTER_SECONDS = environment.seconds("RUN_STALE_AFTER_SECONDS", 30)

# --- Language models (scoring/gateway.py is the only caller) ---------------------------------------------

OPENAI_BASE_URL = environment.web_address("OPENAI_BASE_URL")
OPENAI_API_KEY = environment.text("OPENAI_API_KEY")
OPENAI_MODEL = environment.text("OPENAI_MODEL")
# What connections may take their keys from; no other variable is ever read for one.
MODEL_KEYS = {name: value for name, value in os.environ.items() if name.endswith("_API_KEY")}
# Whether researchers may connect model servers on this machine and in its network; staff always may.
PRIVATE_MODEL_ADDRESSES = environment.switch("PRIVATE_MODEL_ADDRESSES", default=not PRODUCTION)

# --- Accounts --------------------------------------------------------------------------------------------

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "home"
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_ADAPTER = "annotation_platform.accounts.signing_up.AccountAdapter"
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "mandatory" if PRODUCTION else "optional"
ACCOUNT_RATE_LIMITS = {"login": "30/m/ip", "login_failed": "10/m/ip,5/5m/key", "signup": "20/m/ip"}
ACCOUNT_LOGIN_BY_CODE_ENABLED = True  # how somebody without a password comes back by e-mail
ACCOUNT_LOGOUT_ON_GET = False
# Rate limits count per address; behind a proxy that address is in X-Forwarded-For, which others could forge.
ALLAUTH_TRUSTED_PROXY_COUNT = environment.whole_number("TRUSTED_PROXY_COUNT", 1 if PRODUCTION else 0, low=0)

# Requests put mail into the outbox, from which the worker sends it by this backend.
EMAIL_BACKEND = "annotation_platform.jobs.outbox.mail.OutboxBackend"
MAIL_DELIVERY_BACKEND = environment.module_of_class(
    "EMAIL_BACKEND",
    "annotation_platform.jobs.outbox.smtp.EmailBackend"
    if PRODUCTION
    else "django.core.mail.backends.console.EmailBackend",
)
EMAIL_TIMEOUT = 10  # seconds for each word of the mail server
EMAIL_HOST = environment.text("EMAIL_HOST", "localhost")
EMAIL_PORT = environment.whole_number("EMAIL_PORT", 25, low=1, high=environment.HIGHEST_PORT)
EMAIL_HOST_USER = environment.text("EMAIL_HOST_USER")
EMAIL_HOST_PASSWORD = os.environ.get("EMAIL_HOST_PASSWORD", "")
EMAIL_USE_SSL = environment.switch("EMAIL_USE_SSL", default=EMAIL_PORT == 465)
EMAIL_USE_TLS = environment.switch("EMAIL_USE_TLS", default=False)
if EMAIL_USE_SSL and EMAIL_USE_TLS:
    raise ImproperlyConfigured(
        "EMAIL_USE_TLS and EMAIL_USE_SSL are both on; a mail server has one of them: EMAIL_USE_SSL at port 465 "
        "(TLS from the first byte), EMAIL_USE_TLS at port 587 (STARTTLS)."
    )
DEFAULT_FROM_EMAIL = environment.mail_address("DEFAULT_FROM_EMAIL", "annotation-platform@localhost")

# --- Security --------------------------------------------------------------------------------------------

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "manifest-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
SESSION_ENGINE = "annotation_platform.server.sessions"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 50_000  # a release's findings and a table's columns are thousands, each with a field
REQUEST_MAX_BYTES = 6 * 1024 * 1024  # of any request but the upload of an import; refused before it is read
WEB_THREADS = environment.whole_number("WEB_THREADS", 4, low=1)  # of each process of the web server
if PRODUCTION:
    SECURE_SSL_REDIRECT = environment.switch("SECURE_SSL_REDIRECT", default=True)
    SECURE_REDIRECT_EXEMPT = [r"^health/$"]
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_HSTS_SECONDS = 31_536_000
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    SECURE_HSTS_PRELOAD = True
    SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = True

# --- The API ---------------------------------------------------------------------------------------------

API_REQUESTS_A_MINUTE = environment.whole_number("API_REQUESTS_A_MINUTE", 600, low=1)  # of one token

# --- Language, time, static files ------------------------------------------------------------------------

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("ja", "日本語")]
LOCALE_PATHS = [BASE_DIR / "annotation_platform" / "locale"]
TIME_ZONE = "UTC"
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = environment.folder("STATIC_ROOT", Path(environment.text("STATIC_ROOT", str(DATA_DIR / "static"))))
STATICFILES_DIRS = [BASE_DIR / "annotation_platform" / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "annotation_platform.server.statics.ModuleStorage"
        if PRODUCTION
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}
WHITENOISE_USE_FINDERS = not PRODUCTION

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": "WARNING"},
    "loggers": {"annotation_platform": {"level": "INFO"}, "workers": {"level": "INFO"}},
}
