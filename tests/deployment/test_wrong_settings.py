"""Settings that cannot be meant, and common troubles of commands: a sentence that says what to write, no traceback."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests import rests_on
from tests.commands import Said, carry_out
from tests.deployment.test_production_settings import PRODUCTION, ROOT, production_settings, run

pytestmark = pytest.mark.long(*rests_on.PLATFORM)
EMBEDDED = {"PLATFORM_MODE": "embedded", "DATABASE_URL": ""}


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("SECRET_KEY", "short", "at least 32"),
        ("ALLOWED_HOSTS", "https://annotate.example.org", "without https://"),
        ("ALLOWED_HOSTS", "annotate.example.org:443", "without https://"),
        ("ALLOWED_HOSTS", " , ", "names no host"),
        ("ALLOWED_HOSTS", ".example.org,localhost", "PLATFORM_URL=https://annotate.example.org"),
        ("ALLOWED_HOSTS", "*", "PLATFORM_URL=https://annotate.example.org"),
        ("CSRF_TRUSTED_ORIGINS", "annotate.example.org", "write https:// in front"),
        ("DATABASE_URL", "nonsense", "postgres://user:password@host:5432/name"),
        ("DATABASE_URL", "mysql://user@host/name", "postgres://user:password@host:5432/name"),
        ("DATABASE_URL", "sqlite:////tmp/platform.sqlite3", "postgres://user:password@host:5432/name"),
        ("DATABASE_URL", "postgres://user@host:5432/", "postgres://user:password@host:5432/name"),
        ("DATABASE_URL", "postgres://user:p@ss/word@host:5432/name", "/ as %2F"),
        ("DATABASE_URL", "postgres://user:p#word@host:5432/name", "# as %23"),
        ("REDIS_URL", "nonsense", "redis://host:6379/0"),
        ("REDIS_URL", "http://host:6379/0", "redis://host:6379/0"),
        ("REDIS_URL", "redis://host:port/0", "redis://host:6379/0"),
        ("REDIS_URL", "redis://host:6379/first", "redis://host:6379/0"),
        ("EMAIL_PORT", "abc", "a whole number from 1 to 65535"),
        ("EMAIL_PORT", "99999", "a whole number from 1 to 65535"),
        ("EMAIL_USE_TLS", "maybe", "1 (on) or 0 (off)"),
        ("EMAIL_USE_SSL", "maybe", "1 (on) or 0 (off)"),
        ("EMAIL_BACKEND", "smtp", "there is no such class"),
        ("EMAIL_BACKEND", "django.core.mail.backends.smpt.EmailBackend", "there is no such class"),
        ("SECURE_SSL_REDIRECT", "perhaps", "1 (on) or 0 (off)"),
        ("DEFAULT_FROM_EMAIL", "nonsense", "annotate@example.org"),
        ("TRUSTED_PROXY_COUNT", "-1", "a whole number from 0 on"),
        ("IMPORT_MAX_MEGABYTES", "much", "a whole number from 1 on"),
        ("WEB_THREADS", "0", "a whole number from 1 on"),
        ("RUN_STALE_AFTER_SECONDS", "nan", "a number of seconds above 0"),
        ("OPENAI_BASE_URL", "api.openai.com", "write the whole address"),
        ("DATA_DIR", "/proc/nothing/here", "cannot be made"),
    ],
)
def test_a_value_that_cannot_be_meant_is_said_in_one_sentence(name: str, value: str, says: str) -> None:
    result = run("manage.py", "check", environment=PRODUCTION | {name: value})
    assert result.returncode == 1
    assert name in result.stderr
    assert says in result.stderr
    assert len(result.stderr.splitlines()) == 1, result.stderr  # no traceback


def test_a_mail_server_has_one_kind_of_tls() -> None:
    both = {"EMAIL_PORT": "465", "EMAIL_USE_TLS": "1"}  # at this port, TLS from the first byte is on by itself
    result = run("manage.py", "check", environment=PRODUCTION | both)
    assert result.returncode == 1
    assert "EMAIL_USE_SSL at port 465" in result.stderr


def test_an_address_that_holds_a_password_is_never_printed() -> None:
    for name in ("DATABASE_URL", "REDIS_URL"):
        result = run("manage.py", "check", environment=PRODUCTION | {name: "mysql://user:hunter2@host/name"})
        assert name in result.stderr
        assert "hunter2" not in result.stderr + result.stdout


@pytest.mark.parametrize("value", ["0", "false", "No", "off"])
def test_what_means_no_is_no(value: str) -> None:
    assert not production_settings(SECURE_SSL_REDIRECT=value)["SECURE_SSL_REDIRECT"]


@pytest.mark.parametrize("value", ["1", "true", "Yes", "on", ""])
def test_what_means_yes_is_yes_and_empty_is_the_default(value: str) -> None:
    assert production_settings(SECURE_SSL_REDIRECT=value)["SECURE_SSL_REDIRECT"]


def test_mail_goes_out_by_tls_where_somebody_writes_true() -> None:
    program = "from django.conf import settings; print(settings.EMAIL_USE_TLS)"
    environment = PRODUCTION | {"DJANGO_SETTINGS_MODULE": "annotation_platform.settings", "EMAIL_USE_TLS": "true"}
    assert run("-c", program, environment=environment).stdout.strip() == "True"


NOBODY_THERE = PRODUCTION | {"DATABASE_URL": "postgres://platform@127.0.0.1:9/platform"}
ASKING = [["migrate"], ["showmigrations"], ["clearsessions"], ["invite", "My study"]]
TRACED = [[*command, "--traceback"] for command in ASKING]


@pytest.fixture(scope="module")
def without_a_server() -> list[Said]:
    return carry_out([*ASKING, *TRACED], NOBODY_THERE)


@pytest.mark.parametrize("number", range(len(ASKING)), ids=[command[0] for command in ASKING])
def test_a_database_that_does_not_answer_is_said_in_one_sentence(number: int, without_a_server: list[Said]) -> None:
    short, traced = without_a_server[number], without_a_server[number + len(ASKING)]
    assert short.status == 1
    assert "The database cannot be used (" in short.errors
    assert "DATABASE_URL" in short.errors
    assert "Traceback" not in short.errors
    assert "Traceback" in traced.errors


def test_a_process_of_its_own_says_it_too() -> None:
    result = run("manage.py", "migrate", environment=NOBODY_THERE)
    assert result.returncode == 1
    assert result.stderr.startswith("The database cannot be used (")
    assert len(result.stderr.splitlines()) == 1, result.stderr


def test_djangos_own_commands_name_migrate_where_there_are_no_tables(tmp_path: Path) -> None:
    commands = [["clearsessions"], ["createsuperuser", "--noinput", "--email", "a@example.org"]]
    for command, said in zip(commands, carry_out(commands, EMBEDDED | {"DATA_DIR": str(tmp_path)}), strict=True):
        assert said.status == 1, command
        assert said.errors.splitlines()[-1].endswith("Bring it up to date first: manage.py migrate."), command
        assert "Traceback" not in said.errors, command


def test_an_interrupted_command_ends_without_a_traceback(tmp_path: Path) -> None:
    environment = os.environ | EMBEDDED | {"DATA_DIR": str(tmp_path), "PYTHONUNBUFFERED": "1"}
    # As in a terminal, also where the tests run in the background of a shell, which has them ignore the signal.
    listening = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    command = f"{listening}; from annotation_platform.command_line import main; sys.exit(main(sys.argv))"
    process = subprocess.Popen(
        [sys.executable, "-c", f"import sys; sys.argv[0] = 'manage.py'; {command}", "migrate"],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    process.stdout.readline()  # it has begun
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert errors.strip() == "Stopped."


def test_the_database_is_in_its_folder_whatever_that_is_called(tmp_path: Path) -> None:
    folder = tmp_path / "C# & more, 50%20?"
    program = "from django.conf import settings; print(settings.DATABASES['default']['NAME'])"
    environment = {**EMBEDDED, "DATA_DIR": str(folder), "DJANGO_SETTINGS_MODULE": "annotation_platform.settings"}
    result = run("-c", program, environment=environment)
    assert result.stdout.strip() == str(folder / "platform.sqlite3"), result.stderr


def test_a_data_dir_of_somebody_else_is_named(tmp_path: Path) -> None:
    (tmp_path / "secret_key").mkdir()  # cannot be read as a file, by root neither
    result = run("manage.py", "check", environment=EMBEDDED | {"DATA_DIR": str(tmp_path)})
    assert "DATA_DIR" in result.stderr
    assert "Traceback" not in result.stderr


def test_the_image_is_built_with_settings_that_are_accepted(tmp_path: Path) -> None:
    recipe = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    line = next(line for line in recipe.splitlines() if "collectstatic" in line)
    given = dict(re.findall(r"([A-Z_]+)=(\S+)", line))
    assert given["PLATFORM_MODE"] == "production"
    result = run("manage.py", "check", environment=given | {"DATA_DIR": str(tmp_path)})
    assert result.returncode == 0, result.stderr
