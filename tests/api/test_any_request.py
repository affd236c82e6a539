"""Requests of every kind to every address, as each role, by schemathesis: nothing breaks, every reply is as described.

``make test`` gives a dozen seconds to each role when the API has changed, ``make test-all`` two minutes; any other time
is given by ``API_SECONDS=600 .venv/bin/pytest tests/api/test_any_request.py``. The platform is on SQLite, or with
``API_DATABASE_URL`` in an empty database of PostgreSQL.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.workers.installation import ROOT, Installation

EXPLORES = os.environ.get("HYPOTHESIS_PROFILE") == "explore"
SECONDS = int(os.environ.get("API_SECONDS", "120" if EXPLORES else "12"))
DATABASE = os.environ.get("API_DATABASE_URL", "")
LONG_ENOUGH = 60  # to come to every address, on a busy machine, too
HOOKS = ROOT / "tests" / "api" / "any_request_hooks.py"
CHECKS = (
    *("not_a_server_error", "status_code_conformance", "content_type_conformance"),
    *("response_schema_conformance", "response_headers_conformance"),
)
ROLES = ("admin", "researcher", "annotator", "operator", "stranger")

pytestmark = [
    pytest.mark.xdist_group("api-any-request"),
    pytest.mark.long("annotation_platform/api/**/*.py", "tests/api/*.py"),
]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """Address, slug, and a token of each role."""
    folder = tmp_path_factory.mktemp("served")
    with Installation(folder, database_url=DATABASE, API_REQUESTS_A_MINUTE="1000000") as installation:
        if DATABASE:
            installation.run("manage.py", "migrate", "--verbosity", "0")
        seeded = json.loads(installation.run("-m", "tests.api.seed_study"))
        server = installation.start("-m", "tests.api.serving")
        assert server.stdout is not None
        yield seeded | {"address": f"http://127.0.0.1:{server.stdout.readline().strip()}"}


@pytest.mark.parametrize("role", ROLES)
def test_nothing_breaks_and_every_reply_is_as_described(role: str, served: dict[str, Any], tmp_path: Path) -> None:
    for seconds in (SECONDS, 4 * SECONDS, 16 * SECONDS):
        found, told = explored(role, served, tmp_path, seconds)
        assert found["failures"] == [], told[-20_000:]  # “errors” are requests that could not be thought of
        if found["test_cases"]["generated"]:
            break  # thinking of the first requests counts, too, and takes all of a few seconds on a busy machine
    assert found["test_cases"]["generated"], told[-3000:]
    if SECONDS >= LONG_ENOUGH:
        assert found["operations"]["tested"] == found["operations"]["total"]


def explored(role: str, served: dict[str, Any], folder: Path, seconds: int) -> tuple[dict[str, Any], str]:
    """What schemathesis found as this role in so many seconds, and what it said."""
    report = folder / f"report-{seconds}.json"
    seed = [] if EXPLORES else ["--seed", "1"]
    told = subprocess.run(
        [
            *(str(Path(sys.executable).with_name("schemathesis")), "run", f"{served['address']}/api/openapi.json"),
            *("--header", f"Authorization: Bearer {served['tokens'][role]}"),
            *("--checks", ",".join(CHECKS), "--max-time", str(seconds), "--workers", "2", "--continue-on-failure"),
            *("--no-shrink", "--generation-database", "none", "--suppress-health-check", "all", "--warnings", "off"),
            *("--request-timeout", "60", "--no-color", "--report", "json", "--report-json-path", str(report), *seed),
        ],
        cwd=folder,
        env=os.environ | {"SCHEMATHESIS_HOOKS": str(HOOKS), "API_SLUG": served["slug"]},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    ).stdout
    assert report.exists(), told[-3000:]
    return json.loads(report.read_text()), told
