"""``manage.py paper_bundle STUDY --output PATH``: write every figure of a study, for a paper, here and now."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation_platform.accounts.management.output import output_file
from annotation_platform.analysis.paper.bundles import write_bundle_file
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.core.errors import DomainError
from annotation_platform.studies.management.naming import study_named


class Command(BaseCommand):
    help = "Write an archive with every figure of a study (SVG, PNG, PDF) and every table (CSV, LaTeX)."
    requires_system_checks: list[str] = []  # they load every page of the site

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="name of the study")
        parser.add_argument(
            "--output",
            required=True,
            metavar="PATH",
            help="where to write the archive; replaced when it is there",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_named(options["study"])
        path = output_file(options["output"])
        self.stderr.write(f"Reading the judgments of “{study.name}”; computing what is not there yet …")
        snapshot = take_snapshot(study=study)
        self._drawn = 0
        try:
            file = write_bundle_file(study=study, snapshot=snapshot, path=path, on_chart=self._progress)
        except DomainError as error:
            raise CommandError(str(error)) from None
        self.stdout.write(f"{path}: {self._drawn} charts, {file.size:,} bytes, signature {snapshot.signature}")

    def _progress(self, charts: int) -> None:
        self._drawn += charts
