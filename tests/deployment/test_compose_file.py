"""docker-compose.yml is what Compose accepts, keeps no secret, and asks every service how it is."""

import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
COMPOSE = ROOT / "docker-compose.yml"
OURS = ("migrate", "web", "worker", "beat")


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    return yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))


def test_compose_accepts_it(compose: dict[str, Any]) -> None:
    """Compose's own published schema, as the package check-jsonschema ships it."""
    text = (files("check_jsonschema") / "builtin_schemas/vendor/compose-spec.json").read_text(encoding="utf-8")
    schema = json.loads(text)
    validator = jsonschema.validators.validator_for(schema)(schema)
    assert [error.message for error in validator.iter_errors(compose)] == []
    broken = compose | {"services": compose["services"] | {"web": {"image": "x", "healtcheck": {}}}}
    assert any(validator.iter_errors(broken))


def test_it_has_the_services_of_the_design(compose: dict[str, Any]) -> None:
    assert set(compose["services"]) == {*OURS, "postgres", "redis"}


def test_secrets_come_from_the_environment_and_their_lack_is_an_error() -> None:
    text = COMPOSE.read_text(encoding="utf-8")
    for name in ("SECRET_KEY", "POSTGRES_PASSWORD", "ALLOWED_HOSTS"):
        uses = re.findall(rf"\$\{{{name}[^}}]*\}}", text)
        assert uses
        assert all(use.startswith(f"${{{name}:?") for use in uses)


@pytest.mark.parametrize("name", ["web", "worker", "beat", "postgres", "redis"])
def test_every_lasting_service_says_how_it_is_and_comes_back(compose: dict[str, Any], name: str) -> None:
    service = compose["services"][name]
    assert service["healthcheck"]["test"]
    assert service["restart"] == "unless-stopped"


@pytest.mark.parametrize("name", ["web", "worker", "beat"])
def test_nothing_starts_before_the_database_is_migrated(compose: dict[str, Any], name: str) -> None:
    assert compose["services"][name]["depends_on"] == {"migrate": {"condition": "service_completed_successfully"}}


@pytest.mark.parametrize("name", OURS)
def test_all_of_ours_run_one_image_in_production_mode_on_one_volume(compose: dict[str, Any], name: str) -> None:
    service = compose["services"][name]
    assert service["image"] == "annotation-platform"
    assert service["environment"]["PLATFORM_MODE"] == "production"
    assert service["volumes"] == ["data:/data"]
    assert service["environment"]["DATA_DIR"] == "/data"


def test_the_web_server_is_reached_through_a_proxy_on_the_same_machine_only(compose: dict[str, Any]) -> None:
    published = {name: service.get("ports", []) for name, service in compose["services"].items()}
    assert published.pop("web") == ["127.0.0.1:${PORT:-8000}:8000"]
    assert not any(published.values())


def test_the_image_holds_all_that_runs_and_does_not_run_as_root() -> None:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert "USER platform" in text
    copied = set(re.findall(r"^COPY (\S+)", text, re.MULTILINE))
    assert copied == {"requirements.txt", "manage.py", "annotation_platform", "frontend_templates", "workers"}
    allowed = set(re.findall(r"^!(\S+)", (ROOT / ".dockerignore").read_text(encoding="utf-8"), re.MULTILINE))
    assert allowed == copied
    for path in copied:
        assert (ROOT / path).exists()


def test_every_variable_that_the_settings_read_is_documented() -> None:
    settings = (ROOT / "annotation_platform" / "settings.py").read_text(encoding="utf-8")
    names = set(re.findall(r'environ\.get\(\s*"(\w+)"|required_in_production\("(\w+)"', settings))
    reference = (ROOT / "docs" / "reference" / "settings.md").read_text(encoding="utf-8")
    missing = {a or b for a, b in names} - set(re.findall(r"^\| `(\w+)`", reference, re.MULTILINE))
    assert missing == set()


NOT_OF_THE_IMAGE = {
    *("STATIC_ROOT", "DEBUG", "DEMO", "EMAIL_BACKEND"),  # said by the image, always off in production, or for tests
    *("PORT", "PYTHON", "TEST_DATABASE_URL", "TEST_DB_NAME"),
}


def test_what_the_reference_lists_can_be_set_in_the_file_of_settings(compose: dict[str, Any]) -> None:
    """Compose passes on what the file names and nothing else."""
    reference = (ROOT / "docs/reference/settings.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^\| `([A-Z_]+)` \|", reference, flags=re.MULTILINE))
    assert {"SECRET_KEY", "WEB_THREADS"} < listed
    assert listed - NOT_OF_THE_IMAGE - set(compose["services"]["web"]["environment"]) == set()
