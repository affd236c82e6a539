"""``manage.py invite STUDY --role ROLE``: the link that lets people into a study."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse

from annotation_platform.studies.invitations import VALID_FOR, make_invitation
from annotation_platform.studies.models import Role, Study


class Command(BaseCommand):
    help = "Print the link that lets whoever follows it into a study."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="name of the study")
        parser.add_argument("--role", choices=Role.values, default=Role.ANNOTATOR.value)
        parser.add_argument("--site", default="http://127.0.0.1:8000", help="where people reach the platform")

    def handle(self, *args: Any, **options: Any) -> None:
        study = Study.objects.filter(name=options["study"]).first()
        if study is None:
            raise CommandError(f"There is no study named “{options['study']}”.")
        token = make_invitation(study=study, role=Role(options["role"]))
        self.stdout.write(options["site"].rstrip("/") + reverse("join", args=[token]))
        self.stderr.write(f"Whoever follows it in the next {VALID_FOR.days} days joins as {options['role']}.")
