"""``manage.py delete_account EMAIL``: delete an account; what it judged stays under its pseudonyms."""

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.deleting import delete_account
from annotation_platform.accounts.management.tables import require_tables
from annotation_platform.accounts.models import User
from annotation_platform.core.errors import DomainError


class Command(BaseCommand):
    help = "Delete an account with all that says who it was, for ever. What it judged stays under its pseudonyms."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", help="the address that they signed up with")
        parser.add_argument("--yes", action="store_true", help="do not ask whether it is meant")

    def handle(self, *args: Any, **options: Any) -> None:
        require_tables()
        user = User.objects.filter(email=options["email"].strip().lower()).first()
        if user is None:
            raise CommandError(f"There is no account “{options['email']}”.")
        if not options["yes"]:
            self._ask(user)
        try:
            delete_account(user=user, actor=Actor.operator("delete_account"))
        except DomainError as refused:
            raise CommandError(str(refused)) from None
        self.stdout.write("The account is deleted. What it judged stays under its pseudonyms.")

    def _ask(self, user: User) -> None:
        self.stdout.write(f"This deletes the account “{user.email}” for ever. What it judged stays.")
        self.stdout.write("Type its address to delete it: ", ending="")
        self.stdout.flush()
        if sys.stdin.readline().strip().lower() != user.email:
            raise CommandError("That is not its address, so nothing was deleted. With --yes nothing is asked.")
