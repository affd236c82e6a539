"""``manage.py add_member STUDY EMAIL --role ROLE``: let somebody who has an account into a study."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import IntegrityError, transaction

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.models import User
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.studies.management.naming import study_named
from annotation_platform.studies.models import Role
from annotation_platform.studies.services import add_member, restore_member


class Command(BaseCommand):
    help = "Let somebody who has an account into a study."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="name of the study")
        parser.add_argument("email", help="the address that they signed up with")
        parser.add_argument(
            "--role", choices=Role.values, default=Role.ANNOTATOR.value, help="what they are in it (annotator)"
        )
        parser.add_argument("--pseudonym", default="", help="how the study knows them; a random one when left out")

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_named(options["study"])
        user = User.objects.filter(email=options["email"].lower()).first()
        if user is None:
            raise CommandError(
                f"Nobody has signed up as “{options['email']}”. Ask them to sign up first, then try again."
            )
        if (former := study.members.filter(former_user=user).first()) is not None:
            restore_member(member=former, actor=Actor.operator("add_member"))
            self.stdout.write(f"{user.email} is in “{study}” again, as {former}, {former.role} as before.")
            if former.role != options["role"] or options["pseudonym"] not in ("", former.pseudonym):
                self.stderr.write("Role and pseudonym stay as they were. The study's page of people changes roles.")
            return
        try:
            with transaction.atomic():
                member = add_member(
                    study=study,
                    user=user,
                    role=options["role"],
                    pseudonym=options["pseudonym"],
                    actor=Actor.operator("add_member"),
                )
        except InvalidInputError as error:
            raise CommandError(str(error)) from None
        except IntegrityError:
            raise CommandError(
                f"{user.email} is in “{study}” already, or somebody else there has that pseudonym. "
                "Roles are changed on the study's page of people."
            ) from None
        self.stdout.write(f"{user.email} is now {member.role} of “{study}”, as {member}.")
