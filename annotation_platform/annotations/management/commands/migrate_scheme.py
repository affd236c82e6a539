"""``manage.py migrate_scheme STUDY FILE [--rename OLD=NEW …] [--dry-run]``: an edited scheme for a study."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation_platform.accounts.actors import Actor
from annotation_platform.annotations.migrating import Migrated, migrate_scheme
from annotation_platform.core.errors import ConflictError, InvalidInputError
from annotation_platform.core.schemes import SchemeError, read_scheme
from annotation_platform.studies.management.naming import study_named


class Command(BaseCommand):
    help = "Migrate a study to an edited scheme; say what becomes of its judgments."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="name of the study")
        parser.add_argument("file", type=Path, help="the edited scheme")
        parser.add_argument(
            "--rename",
            action="append",
            default=[],
            metavar="OLD=NEW",
            help="an aspect with another key now, or a choice: ASPECT.OLD=NEW (may be given several times)",
        )
        parser.add_argument("--dry-run", action="store_true", help="report and count, store nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_named(options["study"])
        before = str(study.scheme_version)
        try:
            definition = read_scheme(options["file"].read_text(encoding="utf-8-sig"), source=str(options["file"]))
            migrated = migrate_scheme(
                study=study,
                definition=definition,
                renamings=options["rename"],
                dry_run=options["dry_run"],
                actor=Actor.operator("migrate_scheme"),
            )
        except OSError as error:
            raise CommandError(f"{options['file']}: cannot be read ({error.strerror})") from None
        except UnicodeDecodeError as error:
            raise CommandError(f"{options['file']}: is not UTF-8 text (byte {error.start:,})") from None
        except SchemeError as error:
            raise CommandError("\n".join(error.reasons)) from None
        except InvalidInputError as error:
            raise CommandError("\n".join([str(error), *error.reasons])) from None
        except ConflictError as error:
            raise CommandError(str(error)) from None
        self._report(migrated)
        if options["dry_run"]:
            self.stdout.write("This was a dry run: nothing was stored.")
        else:
            self.stdout.write(f"“{study}” was judged under {before} and is now under {migrated.version}.")

    def _report(self, migrated: Migrated) -> None:
        for line in [*migrated.changes.lines, *migrated.counts.lines]:
            self.stdout.write(line)
