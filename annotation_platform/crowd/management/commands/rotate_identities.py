"""``manage.py rotate_identities``: encrypt identities and tokens with the first of the platform's keys."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from annotation_platform.accounts.management.tables import require_tables
from annotation_platform.core.errors import DomainError
from annotation_platform.crowd.providers.prolific.connecting import rotate_secrets
from annotation_platform.crowd.providers.prolific.participants.services import rotate_files
from annotation_platform.crowd.providers.vault.identities import rotate
from annotation_platform.crowd.providers.vault.secrets import rotate_others


class Command(BaseCommand):
    help = "Encrypt who annotators are elsewhere, and the tokens for their platforms, with the first key."

    @transaction.atomic
    def handle(self, *args: Any, **options: Any) -> None:
        require_tables()
        try:
            rotate_files()
            people, studies, others = rotate(), rotate_secrets(), rotate_others()
        except DomainError as error:
            raise CommandError(str(error)) from None
        self.stdout.write(f"{people} identities and the secrets of {studies} studies are written with the first key.")
        if others:
            self.stdout.write(f"So are {others} secrets of webhooks and of programs that scores go back to.")
