"""``manage.py rebuild_release NAME NUMBER``: make a release again from the database, and compare all bytes."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation_platform.core.errors import DomainError
from annotation_platform.releases.freeze.rebuilding import rebuild
from annotation_platform.studies.management.naming import study_named


class Command(BaseCommand):
    help = "Make a release again from the database: the same bytes, or which differ and why."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="name of the study")
        parser.add_argument("number", type=int, help="number of the release")

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_named(options["study"])
        release = study.releases.filter(number=options["number"]).first()
        if release is None:
            raise CommandError(f"“{study.name}” has no release {options['number']}.")
        try:
            found = rebuild(release)
        except DomainError as refused:
            raise CommandError(str(refused)) from None
        if found.different:
            raise CommandError("\n".join([*found.different, *found.reasons]))
        self.stdout.write(f"The same bytes. SHA-256 of the release: {release.digest}")
