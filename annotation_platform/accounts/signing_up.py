"""What the sign-up page leaves besides the account."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.db import transaction
from django.http import HttpRequest

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.models import User
from annotation_platform.accounts.verbs import Verb


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth has no types
    """allauth's own, and one event for each account, in the transaction that stores it."""

    @transaction.atomic
    def save_user(self, request: HttpRequest, user: User, form: Any, commit: bool = True) -> User:
        saved: User = super().save_user(request, user, form, commit=commit)
        if saved.pk is not None:
            record(Actor.of_request(request).signed_in_as(saved.pk), Verb.ACCOUNT_CREATED, saved)
        return saved
