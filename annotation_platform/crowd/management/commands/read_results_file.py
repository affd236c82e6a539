"""``manage.py read_results_file FILE --owner EMAIL``: take a marketplace's file of results over."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.management.tables import require_tables
from annotation_platform.accounts.models import User
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.unreadable import why_not_opened
from annotation_platform.crowd.providers.results_file.reading import read_results
from annotation_platform.crowd.providers.results_file.services import take_over, what_stays


class Command(BaseCommand):
    help = "Read a marketplace's file of results; its import then waits on the page Imports for what its columns mean."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="the CSV of a batch")
        parser.add_argument("--owner", required=True, help="e-mail address of whoever finishes the import")
        parser.add_argument("--with-rejected", action="store_true", help="also the judgments of rejected work")
        parser.add_argument("--check", action="store_true", help="say what is wrong and what stays, and store nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        require_tables()
        owner = User.objects.filter(email=options["owner"].strip().lower()).first()
        if owner is None:
            raise CommandError(f"There is no account “{options['owner']}”.")
        path: Path = options["file"]
        try:
            content = path.read_bytes()
        except OSError as error:
            raise CommandError(f"{path}: {why_not_opened(error)}") from None
        try:
            if options["check"]:
                results = read_results(content)
                kept = [one for one in results.assignments if options["with_rejected"] or one.status != "Rejected"]
                told = what_stays(results, len(kept))
                self.stdout.write(f"{len(results.assignments)} assignments can be read; nothing was stored.")
            else:
                file = take_over(
                    name=path.name,
                    content=content,
                    with_rejected=options["with_rejected"],
                    owner=owner,
                    actor=Actor.operator("read_results_file"),
                )
                told = list(file.left_out)
                self.stdout.write(
                    f"{file.work.count()} assignments were read. {owner} goes on at /imports/{file.job_id}/."
                )
        except InvalidInputError as error:
            raise CommandError("\n".join([str(error), *map(str, error.reasons)])) from None
        for line in told:
            self.stdout.write(f"Does not come: {line}")
