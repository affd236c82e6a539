"""``manage.py export_study NAME --format FORMAT --output PATH``: write a study's judgments to a file here and now."""

import time
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation_platform.accounts.management.output import output_file
from annotation_platform.core.errors import DomainError
from annotation_platform.releases.models import ExportFormat
from annotation_platform.releases.services import rows_to_write, write_export
from annotation_platform.studies.management.naming import study_named

REPORT_EVERY = 1.0  # seconds


class Command(BaseCommand):
    help = "Export the judgments of a study, one row per annotator and item, or the consensus labels of its items."
    # Checks load every page of the site, which an export of any size would carry along.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="name of the study")
        parser.add_argument(
            "--format", choices=ExportFormat.values, default=ExportFormat.CSV.value, help="how it is written (csv)"
        )
        parser.add_argument(
            "--output", required=True, metavar="PATH", help="the file to write; replaced when it is there"
        )
        parser.add_argument("--all-batches", action="store_true", help="also batches that still take judgments")

        parser.add_argument(
            "--all-revisions", action="store_true", help="also judgments that a newer one replaced, oldest first"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_named(options["study"])
        path = output_file(options["output"])
        which = {"all_batches": options["all_batches"], "all_revisions": options["all_revisions"]}
        self._done, self._total = 0, rows_to_write(study, options["format"], **which)
        self._reported = started = time.perf_counter()
        try:
            file = write_export(study=study, format=options["format"], path=path, on_rows=self._progress, **which)
        except DomainError as error:
            raise CommandError(str(error)) from None
        seconds = time.perf_counter() - started
        self.stdout.write(f"{path}: {self._done:,} rows, {file.size:,} bytes in {seconds:.1f} s, SHA-256 {file.sha256}")

    def _progress(self, rows: int) -> None:
        self._done += rows
        if self._total and (now := time.perf_counter()) - self._reported >= REPORT_EVERY:
            self._reported = now
            self.stderr.write(f"{self._done:,} of {self._total:,} rows")
