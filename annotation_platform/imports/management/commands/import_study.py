"""``manage.py import_study FORMAT FILE… --name NAME``: a whole study from files, or nothing and the reasons."""

import shlex
import time
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.management.tables import require_tables
from annotation_platform.accounts.models import User
from annotation_platform.core.errors import DomainError
from annotation_platform.core.schemes import SchemeError, preset, read_scheme
from annotation_platform.corpus.importers import FORMATS, Format, Options, Preview, open_files, read_study
from annotation_platform.corpus.importers.document import Document
from annotation_platform.corpus.importers.saved import is_left_over
from annotation_platform.corpus.importers.study import Source
from annotation_platform.imports.drafts import MOST_CHOSEN, SIZES
from annotation_platform.imports.storing import ImportSummary, import_study
from annotation_platform.jobs.transactions import told_when_busy
from annotation_platform.studies.models import Role

LONGEST_SHOWN = 40


class Command(BaseCommand):
    help = "Import a study: corpus, settings and judgments. A file with mistakes is refused whole."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "format", choices=sorted(FORMATS), help="what the files are; docs/how-to/import-your-data.md describes each"
        )
        parser.add_argument(
            "files", nargs="+", type=Path, metavar="FILE", help="one or more files of this format, or a folder of them"
        )
        parser.add_argument("--name", help="name of the new study")
        parser.add_argument("--scheme", help="a preset's key, or a scheme file (default: the format's or file's own)")
        parser.add_argument("--language", default="en", help="language of the texts, where the file does not say (en)")
        parser.add_argument(
            "--map",
            action="append",
            default=[],
            metavar="COLUMN=FIELD",
            help="take a column for a field, whatever its name; an empty field leaves the column out",
        )
        parser.add_argument(
            "--value",
            action="append",
            default=[],
            metavar="COLUMN=WRITTEN=VALUE",
            help="what a value of the file stands for, as in --value 'winner=Answer A=1'; an empty one for nothing",
        )
        parser.add_argument("--sheet", default="", help="which sheet of a workbook (default: the first one)")
        parser.add_argument(
            "--overlap", type=_size, help="how many people judge each item (default: what the file says or has)"
        )
        parser.add_argument("--hits-per-batch", type=_size, help="tasks in a batch, at most")
        parser.add_argument("--owner", metavar="EMAIL", help="make this user an admin of the study")
        parser.add_argument("--keep-drafts", action="store_true", help="do not open batches that nobody has begun")
        parser.add_argument("--preview", action="store_true", help="show the first rows and what they are taken for")
        parser.add_argument("--dry-run", action="store_true", help="check everything, store nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        require_tables()
        format = FORMATS[options["format"]]
        try:
            chosen = Options(
                definition=_definition(options["scheme"]) if options["scheme"] else None,
                language=options["language"],
                columns=_columns(options["map"]),
                values=_values(options["value"]),
            )
            if options["preview"]:
                self._show(format.preview(_opened(format, options), chosen))
            else:
                self._import(chosen, options)
        except DomainError as error:
            raise CommandError(str(error)) from None

    @told_when_busy()
    def _import(self, chosen: Options, options: Mapping[str, Any]) -> None:
        if not options["name"]:
            raise CommandError("Give the new study a name: --name NAME.")
        started = time.perf_counter()
        format = FORMATS[options["format"]]
        owner = _user(options["owner"]) if options["owner"] else None
        self.stderr.write(f"reading {', '.join(map(str, options['files']))} …")
        sources = _opened(format, options)
        with read_study(format, sources, chosen, lambda entries: self.stderr.write(f"read: {entries:,}")) as imported:
            summary = import_study(
                imported=imported,
                name=options["name"],
                owner=owner,
                keep_drafts=options["keep_drafts"],
                sizes={name: options[name] for name in SIZES if options[name]},
                dry_run=options["dry_run"],
                progress=self._progress,
                actor=Actor.operator("import_study"),
            )
        self._report(summary, seconds=time.perf_counter() - started, dry_run=options["dry_run"])

    def _progress(self, step: str, done: int, total: int) -> None:
        self.stderr.write(f"{step}: {done:,} of {total:,}" if done else f"{step} …")

    def _report(self, summary: ImportSummary, *, seconds: float, dry_run: bool) -> None:
        batches = ", ".join(f"{count} {state}" for state, count in summary.batches.items() if count)
        self.stdout.write(
            f"{'Would import' if dry_run else 'Imported'} “{summary.study.name}”: "
            f"{_counted(summary.articles, 'article')}, {_counted(summary.answers, 'answer')}, "
            f"{_counted(summary.judgments, 'judgment')} by {_counted(summary.annotators, 'annotator')}"
            f"{f', {summary.recorded_replies:,} recorded replies' if summary.recorded_replies else ''}. "
            f"Batches: {batches}. "
            f"{seconds:.1f} s, {summary.judgments / seconds:,.0f} judgments/s."
        )
        for reason, count in summary.left_out.items():
            self.stdout.write(f"Left out: {count:,} {reason}.")
        for warning in summary.warnings:
            self.stdout.write(f"Perhaps not meant: {warning}.")
        if not dry_run and not summary.study.members.filter(role=Role.ADMIN).exists():
            self.stdout.write(
                "Nobody can see the study yet. Give it an admin: "
                f"manage.py add_member {shlex.quote(summary.study.name)} EMAIL --role admin"
            )
        if dry_run:
            self.stdout.write("This was a dry run: nothing was stored.")

    def _show(self, preview: Preview) -> None:
        for column in preview.columns:
            taken_for = preview.mapping.get(column)
            what = f"  → {taken_for}" if taken_for else "  (left out)" if preview.fields else ""
            self.stdout.write(f"{column}{what}")
            place = preview.columns.index(column)
            for row in preview.rows:
                self.stdout.write(f"    {_shortened(row[place])}")
        if len(preview.sheets) > 1:
            self.stdout.write(f"Sheets (--sheet): {', '.join(preview.sheets)}")
        for reason in preview.wrong:
            self.stdout.write(f"To mend: {reason}")
        for warning in preview.warnings:
            self.stdout.write(f"Perhaps not meant: {warning}.")
        if preview.fields:
            fields = ", ".join(f"{field.key}{'*' if field.is_needed else ''}" for field in preview.fields)
            self.stdout.write(f"Fields that a column can be taken for (* needed): {fields}")


def _opened(format: Format, options: Mapping[str, Any]) -> list[Source]:
    files = [file for given in options["files"] for file in _files_of(given, format.in_folders)]
    return open_files(format, files, sheet=options["sheet"])


def _files_of(given: Path, suffixes: Sequence[str]) -> list[Path]:
    """The files of a folder that a format reads, those of its folders with them; a file is itself."""
    if not given.is_dir() or not suffixes:
        return [given]
    fitting = (file for file in given.rglob("*") if file.name.lower().endswith(tuple(suffixes)))
    found = sorted(file for file in fitting if not is_left_over(file))
    if not found:
        raise CommandError(f"{given} has no file that ends in {' or '.join(suffixes)}.")
    return found


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_SHOWN else f"{line[: LONGEST_SHOWN - 1]}…"


def _columns(given: list[str]) -> dict[str, str]:
    columns = {}
    for pair in given:
        column, is_pair, field = pair.rpartition("=")
        if not is_pair or not column:
            raise CommandError(f"--map {pair}: write it as COLUMN=FIELD.")
        columns[column.strip()] = field.strip()
    return columns


def _values(given: list[str]) -> dict[str, dict[str, str]]:
    values: dict[str, dict[str, str]] = {}
    for told in given:
        column, _, rest = told.partition("=")
        written, is_whole, meant = rest.rpartition("=")
        if not (column.strip() and is_whole and written.strip()):
            raise CommandError(f"--value {told}: write it as COLUMN=WRITTEN=VALUE.")
        values.setdefault(column.strip(), {})[written.strip()] = meant.strip()
    return values


def _size(given: str) -> int:
    if not given.isdecimal() or not 1 <= int(given) <= MOST_CHOSEN:
        raise ArgumentTypeError(f"{given!r} is not a whole number from 1 to {MOST_CHOSEN:,}")
    return int(given)


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


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
