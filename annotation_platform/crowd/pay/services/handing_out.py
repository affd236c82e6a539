"""Handing out the file of a payment, and keeping who has it: by it, somebody pays."""

from django.db import transaction
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.crowd.pay.makers import maker
from annotation_platform.crowd.pay.models import PaymentRun
from annotation_platform.crowd.pay.paid_file import lines_in_file, written


@transaction.atomic
def hand_out_file(*, run: PaymentRun, actor: Actor) -> str:
    """The payment as CSV; what it lists is not ordered elsewhere then without a word about this file.

    Raises
    ------
    InvalidInputError
        When the payment is not approved.
    """
    PaymentRun.objects.select_for_update(no_key=True).get(pk=run.pk)  # nobody orders its lines meanwhile
    text = written(run)
    listed = run.lines.filter(pk__in=lines_in_file(run).values("pk"))
    people = listed.update(in_file_at=timezone.now(), in_file_by=maker(actor, run.study_id))
    record(actor, Verb.PAY_FILE_DOWNLOADED, run, study=run.study, change={"people": (None, people)})
    return text
