"""Messages to the worker. Each one names a row, may come twice, and only saves time.

Entry points call :func:`enqueue` with the row of a job that they have just made. What gets lost on the way is found by
:func:`sweep`.
"""

import logging
from collections.abc import Iterable
from typing import Any

from django.db import connection

from annotation_platform.accounts.actors import Actor
from annotation_platform.analysis.snapshots.jobs import SNAPSHOTS, request_snapshot
from annotation_platform.crowd.providers.prolific import calls, polling
from annotation_platform.jobs import worker_status
from annotation_platform.jobs.contract import Chore, JobKind, run_job, waiting
from annotation_platform.jobs.heartbeat import ending
from annotation_platform.jobs.outbox import mail
from annotation_platform.jobs.rows import Job, JobStatus
from annotation_platform.studies.models import Study
from annotation_platform.webhooks import sending as webhooks
from workers.celery import app
from workers.kinds import CHORES, KINDS, kind_named, kind_of
from workers.schedule import SWEEP_EVERY

logger = logging.getLogger(__name__)


def enqueue(job: Job) -> None:
    """Send the message of a job once its row is committed."""
    work.delay_on_commit(kind_of(job).name, job.pk)


def enqueue_snapshot(study: Study, *, actor: Actor) -> None:
    """Have a study measured anew."""
    enqueue(request_snapshot(study=study, actor=actor))


def take_snapshot(study: Study, *, actor: Actor) -> None:
    """Measure a study here and now, unless a worker is at it; the explorer follows in the queue."""
    work(SNAPSHOTS.name, request_snapshot(study=study, actor=actor).pk)


@app.task
def work(kind: str, pk: int) -> None:
    """Carry a job out, unless somebody else has it; then send what it was waited for."""
    found = kind_named(kind)
    job = run_job(found, pk)
    if job is not None and job.status == JobStatus.DONE and found.followed_by:
        _send_waiting(kind_named(found.followed_by))


@app.task
def deliver_mail() -> None:
    """Send what waits for a while, and come again for the rest."""
    if mail.deliver_mail() and mail.is_due():
        deliver_mail.delay()


@app.task
def call_providers() -> None:
    """Carry out what Prolific was ordered, then ask how submissions stand."""
    _call_providers()


@app.task
def deliver_webhooks() -> None:
    """Send what waits for a while, and come again for the rest."""
    if webhooks.deliver() and webhooks.is_due():
        deliver_webhooks.delay()


def enqueue_calls() -> None:
    """Have orders to providers carried out at once; without it the next sweep does."""
    call_providers.delay_on_commit()


@app.task
def sweep() -> None:
    """Do what is due, and send a message for every job that waits for a worker and has none.

    Entry points send it when they have made something due, such as closing a batch.
    """
    _do([NOTE, *CHORES])
    for kind in KINDS:
        _send_waiting(kind)
    if mail.is_due():
        deliver_mail.delay()
    if webhooks.is_due():
        deliver_webhooks.delay()
    if calls.is_due() or polling.due_to_ask():
        call_providers.apply_async(expires=SWEEP_EVERY)  # the next sweep sends another, so that none pile up


def sweep_here() -> None:
    """The same without a message, for nobody can take one: mail and webhooks are sent here and now.

    Jobs stay where they are, and providers are called by :func:`call_providers_here`. That it began was noted when
    this worker took the turn.
    """
    _do([*CHORES, *ERRANDS])


def call_providers_here() -> None:
    """On a thread of its own: what :func:`call_providers` does, without a message."""
    try:
        _do([Chore("call providers", _call_providers)])
    finally:
        connection.close()  # as in the pulse: pool processes must not inherit it


def _do(chores: Iterable[Chore]) -> None:
    for chore in chores:
        if ending.is_set():
            return
        try:
            chore.do()
        except Exception:  # the others, and the jobs, do not wait for it
            logger.exception("The sweep could not %s", chore.name)


def _call_providers() -> None:
    calls.make_calls()
    polling.ask_all()


NOTE = Chore("note that it began", worker_status.note_sweep)
ERRANDS = (Chore("send mail", mail.deliver_mail), Chore("tell webhooks", webhooks.deliver))


def _send_waiting(kind: JobKind[Any]) -> None:
    for pk in waiting(kind):
        work.delay(kind.name, pk)
