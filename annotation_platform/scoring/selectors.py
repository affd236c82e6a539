"""Reads across models for scoring: the judgments of a run, a study's runs, and whether a worker is there."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from hashlib import sha256
from operator import itemgetter
from typing import Any

from django.db.models import Case, Count, Exists, OuterRef, QuerySet, Subquery, Sum, When
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotation_platform.accounts.models import User
from annotation_platform.annotations.models import Annotation
from annotation_platform.core.errors import InvalidInputError, NotThereError
from annotation_platform.jobs.heartbeat import JobPausedError
from annotation_platform.jobs.key_blocks import key_blocks
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring.models import (
    GIVING_LABELS,
    Completion,
    ItemLabel,
    Method,
    ModelConnection,
    RecordedReply,
    Score,
    Scorer,
    ScoringRun,
    ScoringSettings,
    SuspiciousPassage,
)
from annotation_platform.scoring.models.completions import CUT
from annotation_platform.server.compiled_queries import CompiledQuery
from annotation_platform.studies.models import Item, Role, Study
from annotation_platform.studies.selectors import membership, study_for_reader

PAGE = 2_000
LATE = timedelta(minutes=1)


_FINISHED = CompiledQuery(lambda study: ScoringRun.objects.finished().filter(study=study).values_list("method", "pk"))
_LATEST = CompiledQuery(lambda study, method: ScoringRun.objects.finished().filter(study=study, method=method)[:1])
_LABELLING = CompiledQuery(
    lambda study: (
        ScoringRun.objects.finished()
        .filter(study=study, method__in=GIVING_LABELS)
        .order_by(Case(When(method=Method.JUDGE, then=0), default=1), "-is_chosen", "-pk")[:1]
    )
)


def latest_run(study: Study, *, method: str = Method.EBR) -> ScoringRun | None:
    """The run whose scores count: the one that was named, else the newest finished."""
    found: ScoringRun | None = _LATEST.first(study.pk, str(method), study=study)
    return found


def labelling_run(study: Study) -> ScoringRun | None:
    """The run whose labels stand beside people's: of raters by aspect, else of LLM-MATE, which gives labels too."""
    found: ScoringRun | None = _LABELLING.first(study.pk, study=study)
    return found


def counted_runs(study: Study) -> dict[str, list[int]]:
    """The finished runs that a study's figures are about, by method: one query.

    First of each method is the one of `latest_run`. Of rescaling follows the newest, and of judges all others, since
    these are compared.
    """
    runs: dict[str, list[int]] = {}
    for method, pk in _FINISHED.rows(study.pk):
        runs.setdefault(method, []).append(pk)
    return {method: _that_count(method, found) for method, found in runs.items()}


def _that_count(method: str, found: list[int]) -> list[int]:
    if method in GIVING_LABELS:
        return found
    return list(dict.fromkeys([found[0], max(found)])) if method == Method.EBR else found[:1]


def people_read_labels_since(runs: Mapping[str, Sequence[int]], moment: datetime | None) -> bool:
    """Whether people have decided since on replies that the rules could not read; runs as of `counted_runs`."""
    giving_labels = [pk for method in GIVING_LABELS for pk in runs.get(method, [])]
    by_people = ItemLabel.objects.filter(run__in=giving_labels, source=ItemLabel.Source.PERSON)
    return bool(giving_labels and moment) and by_people.filter(decided_at__gt=moment).exists()


def runs_of(study: Study) -> QuerySet[ScoringRun]:
    """The study's runs, the newest first, each with ``paid``: US dollars for the replies that it was the first to
    need, None where no price is known; and with how many these are, priced or not."""
    own = Completion.objects.filter(run=OuterRef("pk")).order_by().values("run")
    paid = Subquery(own.annotate(all=Sum("cost")).values("all"))
    return study.scoring_runs.annotate(
        own_replies=Coalesce(Subquery(own.annotate(all=Count("pk")).values("all")), 0),
        cut_replies=Coalesce(Subquery(own.filter(finish_reason__in=CUT).annotate(all=Count("pk")).values("all")), 0),
        schema_replies=Coalesce(Subquery(own.filter(by_schema=True).annotate(all=Count("pk")).values("all")), 0),
        unpriced_replies=Coalesce(Subquery(own.annotate(all=Count("pk") - Count("cost")).values("all")), 0),
        paid=Case(When(own_replies=0, then=Decimal(0)), default=paid),
    ).defer("counts")


def item_at_place(study: Study, number: int, *, typed: str = "") -> Item:
    """The study's item at a place, counted from 1, with what it shows; ``typed`` is how somebody asked for it.

    Raises
    ------
    InvalidInputError
        When there is none.
    """
    items = study.items.order_by("pk").select_related("question").prefetch_related("candidates__answer__system")
    item = items[number - 1 : number].first() if number else None
    if item is None:
        raise InvalidInputError("scoring.no_item", typed=(typed or str(number))[:40], count=items.count())
    return item


def run_of(study: Study, pk: int) -> ScoringRun:
    """One run of a study.

    Raises
    ------
    NotThereError
        When the study has no such run.
    """
    run = runs_of(study).select_related("connection").defer(None).filter(pk=pk).first()
    if run is None:
        raise NotThereError("scoring.no_run", run=pk)
    return run


def keeps_connections_of(user: Any, slug: str) -> Study | None:
    """The study whose connections are meant, for its researchers and admins; without a slug the platform's, for staff.

    Raises
    ------
    NotThereError
        For everybody else, as if there were no such page.
    """
    if slug:
        return study_for_reader(user, slug)
    if not (isinstance(user, User) and user.is_staff):
        raise NotThereError("scoring.may_not_manage_connections")
    return None


def connection_of(study: Study | None, pk: int) -> ModelConnection:
    """One of a study's own connections, or for None of the platform's.

    Raises
    ------
    NotThereError
        When there is none.
    """
    found = ModelConnection.objects.filter(pk=pk, study=study).first()
    if found is None:
        raise NotThereError("scoring.no_connection")
    return found


def may_change_connection(user: Any, connection: ModelConnection) -> bool:
    """Staff the platform's; a study's own who made it, and the study's admins."""
    if connection.study is None:
        return isinstance(user, User) and user.is_staff
    return membership(user, connection.study).role == Role.ADMIN or connection.created_by_id == user.pk


def connections_with_costs(study: Study | None) -> QuerySet[ModelConnection]:
    """A study's own model connections, or for None the platform's.

    Each has ``run_count``, and what the runs that used it spent: US dollars and tokens.
    """
    connections = ModelConnection.objects.filter(study=study).select_related("created_by", "study")
    return connections.annotate(run_count=Count("runs"), spent=Sum("runs__spent"), tokens=Sum("runs__spent_tokens"))


def is_timing_out(run: ScoringRun) -> bool:
    """Whether a run is at work whose last requests were waited for in vain."""
    if run.status != JobStatus.RUNNING or run.late_at is None:
        return False
    return timezone.now() - run.late_at < 2 * timedelta(seconds=run.waits or 0.0) + LATE


@dataclass(frozen=True)
class RunCosts:
    """What a run's results cost in US dollars; None where the prices or the servers' counts are not known.

    ``used`` is for all replies that they are read from, second readings among them, whoever paid for them; ``unknown``
    counts replies without a cost. The shares are of ``used``.
    """

    used: Decimal | None
    replies: int
    unknown: int
    tokens: int
    per_item: Decimal | None
    per_annotation: Decimal | None


def run_costs(run: ScoringRun) -> RunCosts:
    """The run's costs, each reply counted once, and the means over its items and (where it scores them) judgments."""
    used = Completion.objects.filter(
        Exists(Score.objects.filter(run=run, completion=OuterRef("pk")))
        | Exists(ItemLabel.objects.filter(run=run, completion=OuterRef("pk")))
        | Exists(ItemLabel.objects.filter(run=run, second_completion=OuterRef("pk")))
    ).aggregate(
        total=Sum("cost"),
        replies=Count("pk"),
        known=Count("cost"),
        tokens=Sum(Coalesce("prompt_tokens", 0) + Coalesce("completion_tokens", 0)),
    )
    scored = Score.objects.filter(run=run)
    annotations = scored.aggregate(count=Count("annotation", distinct=True))["count"]
    items = (
        scored.aggregate(count=Count("annotation__item", distinct=True))["count"]
        or ItemLabel.objects.filter(run=run).aggregate(count=Count("item", distinct=True))["count"]
    )
    return RunCosts(
        used=used["total"],
        replies=used["replies"],
        unknown=used["replies"] - used["known"],
        tokens=used["tokens"] or 0,
        per_item=_share(used["total"], items),
        per_annotation=_share(used["total"], annotations),
    )


def has_other_prices(run: ScoringRun) -> bool:
    """Whether a run that may go on counts by other prices than its connection has: given to it, or of before."""
    if run.connection is None or run.status == JobStatus.DONE:
        return False
    return any(run.parameters.get(name) != getattr(run.connection, name) for name in ("price_in", "price_out"))


def models_that_answered(run: ScoringRun) -> list[tuple[str, int]]:
    """What the server called the models of the run's own replies, each with how many; empty where it is what the run
    asked for. A name may stand for several versions, and a server may put another model in the place of one."""
    named = list(run.completions.order_by().values_list("model").annotate(n=Count("pk")).order_by("-n", "model"))
    return [] if all(model == run.parameters.get("model") for model, _ in named) else named


def suspicious_passages(run: ScoringRun) -> QuerySet[SuspiciousPassage]:
    """Passages of texts shown to the model that look like orders to it, and that nobody has looked at yet."""
    return run.suspicious_passages.filter(dismissed_at=None).select_related("annotation__annotator")


def _share(cost: Decimal | None, count: int) -> Decimal | None:
    return None if cost is None or not count else cost / count


def run_judgments(run: ScoringRun) -> QuerySet[Annotation]:
    """The current judgments in the batches of a run."""
    return Annotation.objects.closed().filter(item__hit__batch__scoring_runs=run)


def read_judgments(run: ScoringRun, *fields: str) -> Iterator[tuple[Any, ...]]:
    """The run's judgments as rows of (pk, *fields), batch by batch, in the order of their keys.

    Raises
    ------
    JobPausedError
        They were migrated to another version of the scheme since the run's study was read.
    """
    under_same_scheme = Study.every.filter(pk=run.study_id, scheme_version=run.study.scheme_version_id)
    for batch_id in run.batches.order_by("number").values_list("pk", flat=True):
        judgments = Annotation.objects.closed().filter(item__hit__batch=batch_id).values_list("pk", *fields)
        blocks: Iterator[Sequence[tuple[Any, ...]]] = key_blocks(judgments, itemgetter(0), size=PAGE)
        for block in blocks:
            if not under_same_scheme.exists():
                raise JobPausedError("scoring.scheme_migrated_meanwhile")
            yield from block


def judgments_signature(run: ScoringRun) -> str:
    """SHA-256 over which judgments a run is about, by revision."""
    digest = sha256()
    for pk, revision in read_judgments(run, "revision"):
        digest.update(f"{pk}:{revision}\n".encode())
    return digest.hexdigest()


def offered_scorers(study: Study, scorers: Sequence[str]) -> list[str]:
    """Which of a method's scorers a page offers: recorded replies only where some came with the study's data."""
    has_replies = RecordedReply.objects.filter(annotation__item__study=study).exists()
    own = ScoringSettings.of(study).scorer
    return [each for each in scorers if each != Scorer.RECORDED or has_replies or own == each]
