"""``manage.py import_study FORMAT FILE… --name NAME``: a whole study from files, or nothing and the reasons."""

import time
from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation_platform.accounts.models import User
from annotation_platform.core.errors import DomainError
from annotation_platform.core.schemes import SchemeError, preset, read_scheme
from annotation_platform.corpus.importers import FORMATS, Document
from annotation_platform.scoring.importing import ImportSummary, import_study


class Command(BaseCommand):
    help = "Import a study: corpus, settings and judgments. A file with mistakes is refused whole."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("format", choices=sorted(FORMATS))
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
        parser.add_argument("--name", required=True, help="name of the new study")
        parser.add_argument("--scheme", help="a preset's key, or a scheme file (default: the format's or file's own)")
        parser.add_argument("--owner", metavar="EMAIL", help="make this user an admin of the study")
        parser.add_argument("--keep-drafts", action="store_true", help="do not open batches that nobody has begun")
        parser.add_argument("--dry-run", action="store_true", help="check everything, store nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        started = time.perf_counter()
        owner = _user(options["owner"]) if options["owner"] else None
        self.stderr.write(f"reading {', '.join(map(str, options['files']))} …")
        try:
            imported = FORMATS[options["format"]](
                [Document.read(path) for path in options["files"]],
                _definition(options["scheme"]) if options["scheme"] else None,
            )
            summary = import_study(
                imported=imported,
                name=options["name"],
                owner=owner,
                keep_drafts=options["keep_drafts"],
                dry_run=options["dry_run"],
                progress=self._progress,
            )
        except DomainError as error:
            raise CommandError(str(error)) from None
        self._report(summary, seconds=time.perf_counter() - started, dry_run=options["dry_run"])

    def _progress(self, step: str, done: int, total: int) -> None:
        self.stderr.write(f"{step}: {done:,} of {total:,}" if done else f"{step} …")

    def _report(self, summary: ImportSummary, *, seconds: float, dry_run: bool) -> None:
        batches = ", ".join(f"{count} {state}" for state, count in summary.batches.items() if count)
        self.stdout.write(
            f"{'Would import' if dry_run else 'Imported'} “{summary.study.name}”: {summary.articles:,} articles, "
            f"{summary.answers:,} answers, {summary.judgments:,} judgments by {summary.annotators:,} annotators"
            f"{f', {summary.recorded_replies:,} recorded replies' if summary.recorded_replies else ''}. "
            f"Batches: {batches}. "
            f"{seconds:.1f} s, {summary.judgments / seconds:,.0f} judgments/s."
        )
        if dry_run:
            self.stdout.write("This was a dry run: nothing was stored.")


def _user(email: str) -> User:
    user = User.objects.filter(email=email.strip().lower()).first()
    if user is None:
        raise CommandError(f"There is no account {email}. Sign up first, or make one with manage.py createsuperuser.")
    return user


def _definition(scheme: str) -> Mapping[str, Any]:
    """A preset by its key, or a scheme file by its path."""
    try:
        if Path(scheme).suffix in (".yaml", ".yml"):
            return read_scheme(Document.read(Path(scheme)).text, source=scheme)
        return preset(scheme)
    except SchemeError as error:
        raise CommandError(str(error)) from None
