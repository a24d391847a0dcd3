"""All settings; the environment decides, and there are no per-environment copies."""

import os
import secrets
from datetime import timedelta
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

BASE_DIR = Path(__file__).resolve().parent.parent
env = os.environ.get


def database_from(url: str) -> dict[str, object]:
    """Django's settings for one postgresql:// address."""
    parts = urlsplit(url)
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": parts.hostname or "",
        "PORT": str(parts.port or ""),
        "CONN_MAX_AGE": 0,  # required with the pool
        "OPTIONS": {
            **dict(parse_qsl(parts.query)),
            "pool": {"min_size": 1, "max_size": int(env("STUDIO_DB_POOL", "16")), "timeout": 10},
        },
    }


DATA_DIR = Path(env("STUDIO_DATA") or BASE_DIR / "var")
DATA_DIR.mkdir(parents=True, exist_ok=True)
PRODUCTION = env("STUDIO_MODE", "local") == "production"
DEBUG = env("STUDIO_DEBUG") == "1"


def secret_key() -> str:
    """The key from the environment, or in local mode one kept in the data folder."""
    if key := env("SECRET_KEY"):
        return key
    if PRODUCTION:
        raise ImproperlyConfigured("Set SECRET_KEY: production mode does not invent one.")
    path = DATA_DIR / "secret_key"
    if not path.exists():
        path.touch(mode=0o600)
        path.write_text(secrets.token_urlsafe(50))
    return path.read_text()


SECRET_KEY = secret_key()
SECRET_KEY_FALLBACKS = [key for key in env("SECRET_KEY_FALLBACKS", "").split(",") if key]
ALLOWED_HOSTS = [host for host in env("ALLOWED_HOSTS", "").split(",") if host]
if not ALLOWED_HOSTS:
    if PRODUCTION:
        raise ImproperlyConfigured("Set ALLOWED_HOSTS to the names under which people reach it.")
    ALLOWED_HOSTS = ["localhost", "127.0.0.1", "[::1]", "testserver"]
CSRF_TRUSTED_ORIGINS = [o for o in env("CSRF_TRUSTED_ORIGINS", "").split(",") if o]

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
    "django_cotton.apps.SimpleAppConfig",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "axes",
    "studio",
    "studio.web",
    "studio.accounts",
    "studio.agents",
    "studio.traces",
    "studio.datasets",
    "studio.scorers",
    "studio.experiments",
]
MIDDLEWARE = [
    "studio.web.security.SecurityHeaders",
    "studio.web.boundary.StorableText",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "axes.middleware.AxesMiddleware",
]
ROOT_URLCONF = "studio.urls"
WSGI_APPLICATION = "studio.wsgi.application"
COTTON_DIR = "components"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "studio.web.http.project_context",
            ],
            "loaders": [
                (
                    "django.template.loaders.cached.Loader",
                    [
                        "django_cotton.cotton_loader.Loader",
                        "django.template.loaders.filesystem.Loader",
                        "django.template.loaders.app_directories.Loader",
                    ],
                )
            ],
            "builtins": [
                "django_cotton.templatetags.cotton",
                "studio.web.templatetags.studio_format",
            ],
        },
    }
]

if url := env("DATABASE_URL"):
    DATABASES = {"default": database_from(url)}
else:
    DATABASES = {
        "default": {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": DATA_DIR / "studio.sqlite3",
            "OPTIONS": {
                # Without IMMEDIATE, read-then-write transactions fail at once under load.
                "transaction_mode": "IMMEDIATE",
                "timeout": 20,
                "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
                "PRAGMA mmap_size=268435456; PRAGMA cache_size=-64000;"
                "PRAGMA temp_store=MEMORY; PRAGMA journal_size_limit=67108864;",
            },
            "TEST": {"NAME": DATA_DIR / f"test-{os.getpid()}.sqlite3"},
        }
    }
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

CELERY_BROKER_URL = env("REDIS_URL") or f"sqlite-file:///{DATA_DIR}/broker.sqlite3"
CELERY_BEAT_SCHEDULE = {
    "reconcile": {
        "task": "studio.experiments.tasks.reconcile",
        "schedule": timedelta(seconds=float(env("STUDIO_RECONCILE_S", "10"))),
        "options": {"expires": 10},
    }
}
STUDIO_LEASE_S = float(env("STUDIO_LEASE_S", "30"))
STUDIO_RENEW_S = float(env("STUDIO_RENEW_S", "10"))
STUDIO_AGENTS = [m for m in env("STUDIO_AGENTS", "studio.demo_agents").split(",") if m]
STUDIO_OUTBOUND_ALLOW = [t for t in env("STUDIO_OUTBOUND_ALLOW", "").split(",") if t]

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = timedelta(hours=1)
AXES_LOCKOUT_PARAMETERS = ["username", "ip_address"]
AXES_LOCKOUT_CALLABLE = "studio.accounts.locked.locked_out"
AXES_VERBOSE = False
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "start"
LOGOUT_REDIRECT_URL = "sign-in"

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "studio.accounts.tokens.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["studio.web.rest_defaults.ProjectPermission"],
    "DEFAULT_RENDERER_CLASSES": ["studio.web.rest_defaults.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": [
        "studio.web.rest_defaults.JSONParser",
        "rest_framework.parsers.FormParser",
        "rest_framework.parsers.MultiPartParser",
    ],
    "DEFAULT_SCHEMA_CLASS": "studio.web.rest.Schema",
    "EXCEPTION_HANDLER": "studio.web.rest.problem",
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Evals Studio",
    "DESCRIPTION": "Everything the studio's pages show and do, for scripts.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "COMPONENT_SPLIT_REQUEST": True,
    "SERVE_PERMISSIONS": ["rest_framework.permissions.IsAuthenticated"],
    "ENUM_NAME_OVERRIDES": {
        "AgentKind": "studio.agents.models.Agent.Kind",
        "ScorerKind": "studio.scorers.models.Scorer.Kind",
        "ScorerOrigin": "studio.scorers.models.Scorer.Origin",
        "TraceSource": "studio.traces.models.Source",
    },
}

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True
STATIC_URL = "static/"
STATIC_ROOT = Path(env("STUDIO_STATIC_ROOT") or DATA_DIR / "static")
STATIC_ROOT.mkdir(parents=True, exist_ok=True)
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG
DATA_UPLOAD_MAX_MEMORY_SIZE = 20 * 2**20
DATA_UPLOAD_MAX_NUMBER_FIELDS = 10_000
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_HTTPONLY = True

X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
if PRODUCTION and env("STUDIO_HTTP") != "1":
    SECURE_SSL_REDIRECT = True
    SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = True
    SECURE_HSTS_SECONDS = 31_536_000
    SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = True
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": env("STUDIO_LOG_LEVEL", "INFO")},
}
