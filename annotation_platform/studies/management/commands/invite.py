"""``manage.py invite STUDY --role ROLE``: the link that lets people into a study."""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse

from annotation_platform.accounts.actors import Actor
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.studies.invitations import LONGEST_DAYS, MOST_USES, VALID_FOR, create_invitation, token_of
from annotation_platform.studies.management.naming import study_named
from annotation_platform.studies.models import Role


class Command(BaseCommand):
    help = "Print the link that lets whoever follows it into a study. Its page of people can withdraw it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="name of the study")
        parser.add_argument(
            "--role", choices=Role.values, default=Role.ANNOTATOR.value, help="as what people join (annotator)"
        )
        parser.add_argument(
            "--days", type=int, default=VALID_FOR.days, help=f"how many days the link works ({VALID_FOR.days})"
        )
        parser.add_argument("--uses", type=int, help="how many may join by it; any number when left out")
        site = settings.PLATFORM_URL
        parser.add_argument("--site", default=site, help=f"where people reach the platform ({site})")

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_named(options["study"])
        days, uses = options["days"], options["uses"]
        if not 1 <= days <= LONGEST_DAYS:
            raise CommandError(f"--days is {days}; it must be from 1 to {LONGEST_DAYS}.")
        if uses is not None and not 1 <= uses <= MOST_USES:
            raise CommandError(f"--uses is {uses}; it must be from 1 to {MOST_USES:,}, or left out for any number.")
        if not options["site"].startswith(("http://", "https://")):
            raise CommandError(
                f"--site is {options['site']!r}; write the whole address, such as https://annotate.example.org."
            )
        try:
            invitation = create_invitation(
                study=study,
                role=Role(options["role"]),
                max_uses=uses,
                valid_for=timedelta(days=days),
                actor=Actor.operator("invite"),
            )
        except InvalidInputError as error:
            raise CommandError(str(error)) from None
        self.stdout.write(options["site"].rstrip("/") + reverse("join", args=[token_of(invitation)]))
        who = "Whoever follows it" if uses is None else f"The first {uses} to follow it"
        self.stderr.write(f"{who} in the next {days} days joins as {options['role']}.")
