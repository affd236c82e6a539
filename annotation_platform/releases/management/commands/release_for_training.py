"""``manage.py release_for_training FOLDER FORMAT --aspect KEY --output PATH``: a release as TRL reads it."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation_platform.accounts.management.output import output_file
from annotation_platform.core.errors import DomainError
from annotation_platform.core.reasons import Reason
from annotation_platform.jobs.files import write_whole
from annotation_platform.releases.freeze.verify import problems_of
from annotation_platform.releases.training.preferences import TrainingFormat, lines, preferences


class Command(BaseCommand):
    help = "Write a release as preference data for TRL, or as a judge's chats (JSON Lines), and say what was dropped."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, help="the folder of the release, unpacked")
        parser.add_argument(
            "format",
            choices=[format.value for format in TrainingFormat],
            help="who is to read it: TRL for DPO, a reward model or KTO, or a trainer of judges",
        )
        parser.add_argument(
            "--aspect", default="", help="key of the aspect that says which answer is better; judge needs none"
        )
        parser.add_argument("--output", type=Path, required=True, help="the file to write")

    def handle(self, *args: Any, **options: Any) -> None:
        folder: Path = options["folder"]
        path = output_file(options["output"])
        if found := problems_of(folder):
            raise CommandError("\n".join(found))
        try:
            made = preferences(folder, TrainingFormat(options["format"]), options["aspect"])
            write_whole(path, lambda file: file.writelines(lines(made)))
        except DomainError as refused:
            raise CommandError(str(refused)) from None
        self.stdout.write(f"{len(made.rows):,} rows.")
        for why, count in made.dropped.items():
            self.stdout.write(f"Dropped: {Reason(why, count=count)}.")
