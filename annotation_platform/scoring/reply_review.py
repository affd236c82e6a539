"""The queue of replies that neither the rules nor a second reading could read: a person says what they say.

A decision is a label's row with who decided and when; the item's scores and the run's counts follow it at once.
"""

from dataclasses import dataclass

from django.db import transaction
from django.db.models import Case, Q, QuerySet, When
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import ConflictError, InvalidInputError
from annotation_platform.core.items import ItemTexts
from annotation_platform.core.methods.judging import Question
from annotation_platform.core.schemes import Scheme, Slot
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring.methods import run_method
from annotation_platform.scoring.methods.judge.panel import Panel, judged_items, labelled, resolve_unread
from annotation_platform.scoring.methods.judge.run import Judging
from annotation_platform.scoring.models import GIVING_LABELS, ItemLabel, ScoringRun
from annotation_platform.server.compiled_queries import CompiledQuery
from annotation_platform.studies.models import Member, Study

ENDED = (JobStatus.DONE, JobStatus.PAUSED, JobStatus.FAILED)
NO_LABEL, LEFT_OPEN = "!none", "!open"
"""Beside the labels a person may choose: the reply gives none; it says that there was nothing to answer."""


@dataclass(frozen=True)
class Unread:
    """A reply to be read: which label is looked for, and what can be chosen."""

    label: ItemLabel
    question: Question
    texts: ItemTexts

    @property
    def reply(self) -> str:
        return self.label.completion.reply if self.label.completion else ""


def unread_labels(study: Study) -> QuerySet[ItemLabel]:
    """What waits for a person, the oldest first: of each method's run that counts, what the scheme still asks."""
    unread = ItemLabel.objects.filter(run__in=_runs_to_read(study).values(), source=ItemLabel.Source.UNREAD)
    return unread.filter(asked_by(study.scheme())).order_by("pk")


def asked_by(scheme: Scheme) -> Q:
    """The labels that a scheme asks for: a run may be from before the study was given another one."""
    slots = [Slot(aspect) for aspect in scheme.labelled_aspects]
    of_candidates = [slot.key for slot in slots if slot.aspect.per == "candidate"]
    of_items = [key for slot in slots for key in (slot.key, slot.forced_key) if key and key not in of_candidates]
    return Q(aspect__in=of_items, candidate=0) | Q(aspect__in=of_candidates, candidate__gt=0)


def run_to_read(study: Study, method: str) -> ScoringRun | None:
    """The run whose labels count; where none has finished, the newest that has stopped and may go on.

    What another run could not read changes nothing: it waits for nobody until that run is named, or goes on.
    """
    return _runs_to_read(study).get(method)


def _ended(study: int) -> QuerySet[ScoringRun]:
    finished_last = Case(When(status=JobStatus.DONE, then=1), default=0)
    ended = ScoringRun.objects.filter(study=study, method__in=GIVING_LABELS, status__in=ENDED, is_outdated=False)
    return ended.order_by(finished_last, "is_chosen", "pk")


_RUNS_TO_READ = CompiledQuery(_ended)


def _runs_to_read(study: Study) -> dict[str, ScoringRun]:
    """The run to read of each method that gives labels, in one query."""
    # Of several of a method the last one stays: the one that was named, else the newest.
    return {run.method: run for run in _RUNS_TO_READ.instances(study.pk, study=study)}


def next_unread(study: Study, *, after: int = 0) -> Unread | None:
    """The next reply to read behind a row that was skipped; from the beginning again when there is none."""
    waiting = _with_replies(study)
    label = waiting.filter(pk__gt=after).first() or waiting.first()
    return None if label is None else _unread(label)


def unread_of(study: Study, pk: int) -> Unread:
    """One reply of the queue.

    Raises
    ------
    ConflictError
        When it does not wait any more.
    """
    label = _with_replies(study).filter(pk=pk).first()
    if label is None:
        raise ConflictError("scoring.reply_decided_otherwise")
    return _unread(label)


def decide_label(*, study: Study, pk: int, choice: str, member: Member, actor: Actor) -> ItemLabel:
    """Record which label a reply gives in a person's judgment (or that it gives none), and vote again.

    Raises
    ------
    ConflictError
        When it does not wait any more.
    InvalidInputError
        When the aspect has no such label.
    """
    from annotation_platform.scoring.methods.judge.label_votes import label_counts  # numpy: only where needed

    unread = unread_of(study, pk)
    question, run = unread.question, unread.label.run
    given = {option.choice for option in question.options}
    if choice not in given | {NO_LABEL} | ({LEFT_OPEN} if question.not_applicable else set()):
        raise InvalidInputError("scoring.choose_label")
    with transaction.atomic():
        decided = (
            unread_labels(study)
            .filter(pk=pk)
            .update(
                label=choice if choice in given else "",
                is_not_applicable=choice == LEFT_OPEN,
                reason=unread.label.reason if choice == NO_LABEL else "",
                source=ItemLabel.Source.PERSON,
                decided_by=member,
                decided_at=timezone.now(),
            )
        )
        if not decided:
            raise ConflictError("scoring.reply_decided")
        panel, item = _panel(run), unread.label.item_id
        # The labels of other aspects may depend on this one.
        resolve_unread(judged_items(run, panel, [item], decided=True)[item].labels(run, panel.scheme))
        _judging(run).vote_again(run, [item])
        ScoringRun.objects.filter(pk=run.pk).update(counts=run.counts | label_counts(run))
        change = {"label": (None, choice), "aspect": (unread.label.aspect, unread.label.aspect)}
        record(actor, Verb.RUN_REPLY_DECIDED, unread.label, study=study, change=change)
    unread.label.refresh_from_db()
    return unread.label


def _with_replies(study: Study) -> QuerySet[ItemLabel]:
    related = ("completion", "run", "item__question")
    return unread_labels(study).select_related(*related).defer("completion__request")


def _unread(label: ItemLabel) -> Unread:
    panel = _panel(label.run)
    (texts,) = panel.texts_of([label.item_id])
    question = next(
        question
        for prompt in panel.prompts(texts)
        if prompt.variant == label.variant
        for question in labelled(prompt)
        if (question.key, question.slot.candidate) == (label.aspect, label.candidate)
    )
    return Unread(label, question, texts)


def _panel(run: ScoringRun) -> Panel:
    how = _judging(run)
    return how.panel(run.study, how.parse(scorer=run.scorer, stored=run.parameters))


def _judging(run: ScoringRun) -> Judging:
    how = run_method(run.method)
    assert isinstance(how, Judging)  # no other method has labels
    return how
