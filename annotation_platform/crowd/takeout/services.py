"""Asking for the file, finding it, and forgetting it."""

from django.db import transaction
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.models import User
from annotation_platform.accounts.verbs import Verb
from annotation_platform.crowd.takeout.models import KEPT, Takeout
from annotation_platform.jobs.rows import ACTIVE


@transaction.atomic
def request_takeout(*, user: User, actor: Actor) -> Takeout:
    """Put the file into the queue; whoever calls this enqueues it. While one is under way it is that one."""
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
    if (under_way := user.takeouts.filter(status__in=ACTIVE).first()) is not None:
        return under_way
    made = Takeout.objects.create(user=user)
    record(actor, Verb.ACCOUNT_DATA_TAKEN, user)
    return made


def forget_old_takeouts() -> None:
    """Remove the files, and the rows, of those that were made long enough ago."""
    for old in Takeout.objects.filter(finished_at__lt=timezone.now() - KEPT):
        forget(old)


def forget(takeout: Takeout) -> None:
    """Remove all files of a row, whichever worker made them, and the row."""
    takeout.remove_files()
    Takeout.objects.filter(pk=takeout.pk).delete()
