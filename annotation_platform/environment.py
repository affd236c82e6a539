"""Reading the environment: what cannot be meant is an error that names the variable and says what to write.

A value that is quietly taken for something else would be found late, by somebody else, or never: mail that goes out
without TLS because the variable says ``true``, or pages that refuse everybody because a host has ``https://`` in front.
"""

import os
from email.utils import parseaddr
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

YES = {"1", "true", "yes", "on"}
NO = {"0", "false", "no", "off"}
SHORTEST_SECRET = 32  # characters
DATABASE_SCHEMES = {"postgres", "postgresql"}
REDIS_SCHEMES = {"redis", "rediss", "unix"}
HIGHEST_PORT = 65_535


def text(name: str, default: str = "") -> str:
    """What the variable holds without space around it; one that is empty counts as one that is not set."""
    return os.environ.get(name, "").strip() or default


def required(name: str) -> str:
    value = text(name)
    if not value:
        raise ImproperlyConfigured(f"{name} is not set. In production it must come from the environment.")
    return value


def switch(name: str, *, default: bool) -> bool:
    value = text(name).lower()
    if value and value not in YES | NO:
        raise ImproperlyConfigured(f"{name} is {value!r}; it must be 1 (on) or 0 (off).")
    return value in YES if value else default


def whole_number(name: str, default: int, *, low: int, high: int | None = None) -> int:
    value = text(name, str(default))
    bounds = f"from {low} to {high}" if high is not None else f"from {low} on"
    try:
        number = int(value)
    except ValueError:
        number = low - 1
    if number < low or (high is not None and number > high):
        raise ImproperlyConfigured(f"{name} is {value!r}; it must be a whole number {bounds}.")
    return number


def seconds(name: str, default: float) -> float:
    value = text(name, str(default))
    try:
        number = float(value)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise ImproperlyConfigured(f"{name} is {value!r}; it must be a number of seconds above 0.")
    return number


def secret(name: str) -> str:
    value = required(name)
    if len(value) < SHORTEST_SECRET:
        raise ImproperlyConfigured(
            f"{name} has {len(value)} characters, which could be guessed; it must have at least {SHORTEST_SECRET}. "
            'Make one: python3 -c "import secrets; print(secrets.token_urlsafe(50))"'
        )
    return value


def secrets(name: str) -> list[str]:
    """Secrets with commas between, none of which could be guessed."""
    found = [each.strip() for each in text(name).split(",") if each.strip()]
    for each in found:
        if len(each) < SHORTEST_SECRET:
            raise ImproperlyConfigured(
                f"{name} has a key of {len(each)} characters, which could be guessed; each must have at least "
                f"{SHORTEST_SECRET}."
            )
    return found


def hosts(value: str, name: str) -> list[str]:
    """Names of hosts with commas between. One with ``https://``, a path or a port would match no request at all."""
    names = [host.strip() for host in value.split(",") if host.strip()]
    for host in names:
        outside_brackets = host.rpartition("]")[2]
        if any(sign in host for sign in "/@ ") or ":" in outside_brackets:
            raise ImproperlyConfigured(
                f"{name} has {host!r}; write the names alone, without https://, port or path, "
                "such as annotate.example.org,localhost."
            )
    if not names:
        raise ImproperlyConfigured(f"{name} is {value!r}, which names no host.")
    return names


def address_of(hosts: list[str]) -> str:
    """Where the platform is reached by the first of its hosts, which must be one, and not a sign for many."""
    first = hosts[0]
    if first == "*" or first.startswith("."):
        raise ImproperlyConfigured(
            f"PLATFORM_URL is not set, and {first!r}, the first of ALLOWED_HOSTS, stands for many hosts. Write where "
            "links in mails lead to, such as PLATFORM_URL=https://annotate.example.org."
        )
    return f"https://{first}"


def origins(name: str) -> list[str]:
    found = [origin.strip() for origin in text(name).split(",") if origin.strip()]
    for origin in found:
        if not origin.startswith(("http://", "https://")):
            raise ImproperlyConfigured(f"{name} has {origin!r}; write https:// in front of it.")
    return found


def web_address(name: str) -> str:
    value = text(name)
    try:
        whole = not value or (urlsplit(value).scheme in ("http", "https") and bool(urlsplit(value).hostname))
    except ValueError:
        whole = False
    if not whole:
        raise ImproperlyConfigured(f"{name} is {value!r}; write the whole address, such as https://api.openai.com/v1.")
    return value


def mail_address(name: str, default: str) -> str:
    value = text(name, default)
    box, at, domain = parseaddr(value)[1].rpartition("@")
    if not (box and at and domain):
        raise ImproperlyConfigured(
            f"{name} is {value!r}; write an address such as annotate@example.org, "
            "or a name and an address: Annotation <annotate@example.org>."
        )
    return value


def module_of_class(name: str, default: str) -> str:
    """The whole name of a class, such as a backend, whose module is there."""
    value = text(name, default)
    module = value.rpartition(".")[0]
    try:
        found = bool(module) and find_spec(module) is not None
    except ImportError:
        found = False
    if not found:
        raise ImproperlyConfigured(f"{name} is {value!r}; there is no such class. Write a whole name: {default}.")
    return value


def database(value: str, name: str, *, postgres_only: bool) -> dict[str, Any]:
    """Django's settings of the database at this address. What it holds is never in the error: it has a password."""
    wrong = ImproperlyConfigured(
        f"{name} cannot be used. Write postgres://user:password@host:5432/name; of the password's signs, write "
        "@ as %40, : as %3A, / as %2F, # as %23, ? as %3F and % as %25."
    )
    schemes = DATABASE_SCHEMES if postgres_only else DATABASE_SCHEMES | {"sqlite"}
    try:
        parts = urlsplit(value)
        port_is_a_number = parts.port is None or parts.port > 0
        # A connection is kept for many requests, and looked at before each: the server may have been restarted.
        settings: dict[str, Any] = dict(dj_database_url.parse(value, conn_max_age=600, conn_health_checks=True))
    except (ValueError, dj_database_url.ParseError, dj_database_url.UnknownSchemeError):
        raise wrong from None
    database_name = str(settings.get("NAME", ""))
    named = bool(database_name) and (parts.scheme == "sqlite" or not set(database_name) & set("/@"))
    if parts.scheme not in schemes or not port_is_a_number or not named:
        raise wrong
    return settings


def redis_address(value: str, name: str) -> str:
    """An address of Redis, or nothing. What it holds is never in the error: it may have a password."""
    try:
        parts = urlsplit(value)
        number = parts.path.strip("/")
        placed = parts.scheme == "unix" or (bool(parts.hostname) and (not number or number.isdecimal()))
        usable = not value or (parts.scheme in REDIS_SCHEMES and placed and (parts.port is None or parts.port > 0))
    except ValueError:
        usable = False
    if not usable:
        raise ImproperlyConfigured(f"{name} cannot be used. Write redis://host:6379/0, the last being a number.")
    return value


def folder(name: str, path: Path) -> Path:
    """The folder, made where it is not there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ImproperlyConfigured(
            f"{name}: the folder {path} cannot be made ({error.strerror}). Name one in which whoever runs this "
            "may write, or make it and give it to them."
        ) from None
    return path
