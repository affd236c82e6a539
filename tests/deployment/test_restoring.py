"""The commands by which docs/how-to/deploy.md backs up and restores do so, on the PostgreSQL server of this machine."""

import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import pytest

from tests.conftest import POSTGRES_URL

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "deploy.md"
SERVER = urlsplit(POSTGRES_URL)
INSIDE = "docker compose exec --no-TTY postgres "
IN_WEB = re.compile(r"docker compose (?:exec --no-TTY|run --rm --no-TTY --no-deps) web (?=.*\btar\b)")


def documented() -> list[str]:
    """The commands of the section that run beside the database, in their order."""
    section = PAGE.read_text().split("## Back up and restore")[1].split("\n## ")[0]
    return [line.removeprefix(INSIDE) for line in section.splitlines() if line.startswith(INSIDE)]


@pytest.fixture
def run() -> Iterator[Callable[..., str]]:
    name = f"restoring_{uuid4().hex[:12]}"
    reach = f"--host {SERVER.hostname} --port {SERVER.port or 5432} --username {SERVER.username}"

    def shell(command: str, cwd: Path | None = None) -> str:
        here = command.replace("--username platform", reach)
        here = re.sub(r"(?<=--dbname )platform\b|(?<= )platform(?= >|$)", name, here)
        return subprocess.run(here, shell=True, cwd=cwd, check=True, capture_output=True, text=True).stdout

    yield shell
    shell("dropdb --username platform --if-exists --force platform")


@pytest.mark.postgres
@pytest.mark.skipif(shutil.which("pg_restore") is None, reason="needs PostgreSQL's own programs")
def test_what_was_backed_up_is_there_again(run: Callable[..., str], tmp_path: Path) -> None:
    dump, *restore = documented()
    assert [command.split()[0] for command in restore] == ["dropdb", "createdb", "pg_restore"]
    run("createdb --username platform platform")
    run('psql --username platform --dbname platform --command "CREATE TABLE kept AS SELECT 7 AS n"')
    run(dump, tmp_path)
    run('psql --username platform --dbname platform --command "DROP TABLE kept"')
    for command in restore:
        run(command, tmp_path)
    assert (
        run('psql --username platform --dbname platform --no-align --tuples-only --command "SELECT n FROM kept"')
        == "7\n"
    )


def test_releases_and_trained_models_are_backed_up_and_there_again(tmp_path: Path) -> None:
    """A frozen release lies in the volume and nowhere else; its files can only be read."""
    backing_up, restoring = [IN_WEB.sub("", line) for line in PAGE.read_text().splitlines() if IN_WEB.match(line)]
    before, after = tmp_path / "before", tmp_path / "after"
    (before / "releases" / "5d41").mkdir(parents=True)
    frozen = before / "releases" / "5d41" / "manifest.json"
    frozen.write_text("{}")
    frozen.chmod(0o444)
    after.mkdir()
    for command, data in ((backing_up, before), (restoring, after)):
        subprocess.run(command.replace("/data", str(data)), shell=True, cwd=tmp_path, check=True)
    assert (after / "releases" / "5d41" / "manifest.json").read_text() == "{}"
    assert (after / "models").is_dir()
