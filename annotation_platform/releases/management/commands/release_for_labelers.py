"""``manage.py release_for_labelers FOLDER TOOL --output FOLDER``: a release as Label Studio or Argilla reads it."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation_platform.core.errors import DomainError
from annotation_platform.core.unreadable import why_not_opened
from annotation_platform.releases.freeze.verify import problems_of
from annotation_platform.releases.labelers.tools import TOOLS, files_for


class Command(BaseCommand):
    help = "Write a release as a project of another tool: its form, its items, and what was said of them."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, help="the folder of the release, unpacked")
        parser.add_argument("tool", choices=[*TOOLS], help="who is to read it")
        parser.add_argument("--output", type=Path, required=True, help="the folder to write the files in")

    def handle(self, *args: Any, **options: Any) -> None:
        folder: Path = options["folder"]
        if found := problems_of(folder):
            raise CommandError("\n".join(found))
        try:
            files = [*files_for(folder, options["tool"])]
        except DomainError as refused:
            raise CommandError(str(refused)) from None
        to: Path = options["output"]
        try:
            to.mkdir(parents=True, exist_ok=True)
            for name, content in files:
                (to / name).write_bytes(content)
                self.stdout.write(f"{name}: {len(content):,} bytes.")
        except OSError as error:
            raise CommandError(f"{to} cannot be written: {why_not_opened(error)}.") from None
