"""``manage.py verify_release FOLDER``: whether every file of a release is as it was frozen."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation_platform.releases.freeze.verify import MANIFEST, problems_of, sha256_of


class Command(BaseCommand):
    help = "Check a release by its checksums. The release's own verify.py does the same without the platform."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, help="the folder of the release, unpacked")

    def handle(self, *args: Any, **options: Any) -> None:
        folder: Path = options["folder"]
        if found := problems_of(folder):
            raise CommandError("\n".join(found))
        digest = sha256_of(folder / MANIFEST)
        self.stdout.write(f"All files are as they were frozen. SHA-256 of the release: {digest}")
