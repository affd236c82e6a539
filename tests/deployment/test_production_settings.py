"""Production settings, as a process started with the environment of production sees them."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PRODUCTION = {
    "PLATFORM_MODE": "production",
    "SECRET_KEY": "x7-not-a-secret-but-long-and-varied-enough-for-the-checks-Qw93_zT",
    "ALLOWED_HOSTS": "platform.example.org",
    "DATABASE_URL": "postgres://platform@localhost/platform",
    "REDIS_URL": "redis://localhost:6379/0",
}


def run(*command: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    ours = {name: os.environ[name] for name in ("PATH", "DATA_DIR", "HOME") if name in os.environ}
    return subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=ours | environment, capture_output=True, text=True, timeout=60
    )


def production_settings(**environment: str) -> Any:
    names = (
        "DEBUG DEMO SECURE_SSL_REDIRECT SECURE_HSTS_SECONDS SESSION_COOKIE_SECURE SESSION_COOKIE_HTTPONLY "
        "CSRF_COOKIE_SECURE ACCOUNT_EMAIL_VERIFICATION SECURE_PROXY_SSL_HEADER ALLAUTH_TRUSTED_PROXY_COUNT"
    )
    program = (
        "import json; from django.conf import settings; "
        f"print(json.dumps({{name: getattr(settings, name) for name in {names.split()!r}}}))"
    )
    environment = PRODUCTION | {"DJANGO_SETTINGS_MODULE": "annotation_platform.settings"} | environment
    result = run("-c", program, environment=environment)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def test_djangos_deployment_check_is_clean() -> None:
    result = run("manage.py", "check", "--deploy", "--fail-level", "INFO", environment=PRODUCTION)
    assert result.returncode == 0, result.stderr
    assert "no issues" in result.stdout


@pytest.mark.parametrize("name", ["SECRET_KEY", "ALLOWED_HOSTS", "DATABASE_URL", "REDIS_URL"])
@pytest.mark.parametrize("how", ["missing", "empty"])
def test_what_production_needs_is_named_when_it_is_not_there(name: str, how: str) -> None:
    environment = {key: value for key, value in PRODUCTION.items() if key != name}
    if how == "empty":
        environment[name] = ""
    result = run("manage.py", "check", environment=environment)
    assert result.returncode != 0
    assert f"{name} is not set. In production it must come from the environment." in result.stderr


def test_an_unknown_mode_is_named() -> None:
    result = run("manage.py", "check", environment={"PLATFORM_MODE": "staging"})
    assert "PLATFORM_MODE is 'staging'; it must be 'embedded' or 'production'." in result.stderr


def test_cookies_travel_over_https_only_and_pages_are_redirected_there() -> None:
    settings = production_settings()
    assert settings["SESSION_COOKIE_SECURE"]
    assert settings["CSRF_COOKIE_SECURE"]
    assert settings["SESSION_COOKIE_HTTPONLY"]
    assert settings["SECURE_SSL_REDIRECT"]
    assert settings["SECURE_HSTS_SECONDS"] >= 31_536_000
    assert settings["ACCOUNT_EMAIL_VERIFICATION"] == "mandatory"


def test_rate_limits_count_by_the_address_that_the_one_proxy_saw() -> None:
    assert production_settings()["ALLAUTH_TRUSTED_PROXY_COUNT"] == 1
    assert production_settings(TRUSTED_PROXY_COUNT="2")["ALLAUTH_TRUSTED_PROXY_COUNT"] == 2


def test_neither_debugging_nor_the_demo_can_be_switched_on() -> None:
    settings = production_settings(DEBUG="1", DEMO="1")
    assert not settings["DEBUG"]
    assert not settings["DEMO"]
