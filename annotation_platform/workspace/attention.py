"""What of a study needs somebody now, how far it is, and what it has cost: the study's home and the list of studies."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import lru_cache

from django.db.models import Count, F, Sum
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation_platform.accounts.language import in_language
from annotation_platform.analysis.frame.standing import Scoring
from annotation_platform.analysis.models import AgreementSnapshot, SnapshotSection
from annotation_platform.analysis.sections.annotators.figures import ANNOTATORS
from annotation_platform.analysis.sections.work.figures import WORK
from annotation_platform.analysis.snapshots.stored import of_another_version
from annotation_platform.core.reasons import Reason
from annotation_platform.crowd.late.selectors import count_late_work
from annotation_platform.crowd.pacing.services import pacing_of
from annotation_platform.crowd.review.selectors import in_closed_batches
from annotation_platform.crowd.talk.selectors import threads_beside_tasks
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.jobs.worker_status import worker_state
from annotation_platform.scoring.bills import is_priced, money
from annotation_platform.scoring.models import ScoringRun, ScoringSettings
from annotation_platform.scoring.reply_review import unread_labels
from annotation_platform.server.compiled_queries import CompiledQuery
from annotation_platform.studies.models import AssignmentState, SetAside, Study
from annotation_platform.studies.protection import why_kept
from annotation_platform.studies.services import is_overlap_unfinished
from annotation_platform.workspace.batches.threads import unanswered_threads
from annotation_platform.workspace.scheme.standing import COUNT, MIGRATE, Standing

NAMED = 3  # people who stand far apart
THE_WORK = ""  # the key of what is of no aspect: time on task, explanations that say nothing new
STOPPED = (JobStatus.FAILED, JobStatus.PAUSED)


@dataclass(frozen=True)
class Attention:
    """One thing to do something about, and where."""

    words: str
    address: str


def attention_of(
    study: Study, scoring: Scoring, snapshot: AgreementSnapshot | None, *, is_admin: bool
) -> list[Attention]:
    """What needs somebody now, the most urgent first; empty when nothing does."""
    parts = (
        _worker(study, scoring),
        _runs(study),
        _scheme(study) if is_admin else (),
        _overlap(study),
        _held_back(study),
        _late(study),
        _set_aside(study),
        _messages(study),
        _unread(study),
        _webhooks(study),
        _far(study, snapshot),
    )
    return [each for part in parts for each in part]


def spent_in_words(study: Study) -> str:
    """What all runs paid for replies, and of how much; empty when no model with a price or without one was asked."""
    sums = study.scoring_runs.aggregate(dollars=Sum("spent"), tokens=Sum("spent_tokens"))
    if not sums["dollars"] and not sums["tokens"]:
        return ""
    asked = study.scoring_runs.filter(spent_tokens__gt=0).only("parameters", "spent_tokens")
    unpriced = sum(run.spent_tokens for run in asked if not is_priced(run))
    dollars = sums["dollars"] or Decimal(0)
    if unpriced and not dollars:
        return _("{tokens} tokens, price not known").format(tokens=f"{unpriced:,}")
    words = money(dollars)
    if (budget := ScoringSettings.of(study).budget) is not None:
        words = _("{spent} of {budget}").format(spent=words, budget=money(budget))
    return words + (
        _(", and {tokens} tokens whose price is not known").format(tokens=f"{unpriced:,}") if unpriced else ""
    )


def _worker(study: Study, scoring: Scoring) -> Iterator[Attention]:
    waits = scoring.is_stuck or (study.scoring_runs.active().exists() and not worker_state().is_running)
    if waits:
        yield Attention(
            _("The background worker is not running, and work waits for it."),
            reverse("study", args=[study.slug]),
        )


_RUNS = CompiledQuery(
    lambda study: ScoringRun.objects.filter(study=study).order_by("-pk").values_list("method", "pk", "status", "error")
)


def _runs(study: Study) -> Iterator[Attention]:
    """The newest run of each method, where it has stopped by itself or waits."""
    newest: dict[str, tuple[int, str, Reason | str]] = {}
    for method, pk, status, error in _RUNS.rows(study.pk):
        newest.setdefault(method, (pk, status, error))
    for pk, status, error in newest.values():
        is_settled = isinstance(error, Reason) and error.code == "jobs.stopped_by_hand"
        if status in STOPPED and not is_settled:
            failed = status == JobStatus.FAILED
            words = _("A scoring run has failed.") if failed else _("A scoring run has paused and waits for a word.")
            yield Attention(words, reverse("run", args=[study.slug, pk]))


def _scheme(study: Study) -> Iterator[Attention]:
    """The last migration to an edited scheme, where it has failed; only admins come to its page."""
    standing = Standing.of(study)
    if standing.has_failed:
        wanted = standing.job.wanted if standing.job else MIGRATE
        yield Attention(
            _("Counting for another version of the scheme has failed.")
            if wanted == COUNT
            else _("The migration to another version of the scheme has failed."),
            reverse("edit_scheme", args=[study.slug]),
        )


def _overlap(study: Study) -> Iterator[Attention]:
    if is_overlap_unfinished(study):
        yield Attention(
            _("A change of the overlap was broken off; the background worker will finish it."),
            reverse("study_settings", args=[study.slug]),
        )


def _held_back(study: Study) -> Iterator[Attention]:
    """Batches that are due and wait, because of what their release is made to depend on."""
    if study.archived_at is None and (pacing := pacing_of(study)).is_on and pacing.held_since:
        because = " ".join(in_language(reason) for reason in pacing.held_because)
        words = _("The next batch waits: {because}").format(because=because)
        yield Attention(words, reverse("crowd_release", args=[study.slug]))


def _late(study: Study) -> Iterator[Attention]:
    if count := count_late_work(study):
        words = ngettext("Late work in a task to decide about", "Late work in {count} tasks to decide about", count)
        yield Attention(words.format(count=count), reverse("crowd_late", args=[study.slug]))


def _set_aside(study: Study) -> Iterator[Attention]:
    """Work that was set aside after its batch had closed, and whose place nobody can take before that is open again."""
    asides = SetAside.objects.filter(
        assignment__hit__batch__study=study,
        assignment__hit__batch__closed_at__lt=F("set_aside_at"),
        assignment__state=AssignmentState.OPEN,
        restored_at=None,
    )
    closed = {} if study.archived_at is not None else in_closed_batches(asides)
    free = {
        batch.number: closed[batch.number]
        for batch in study.batches.filter(number__in=closed)
        if why_kept(study, batch) is None
    }
    if free:
        said = _("Tasks set aside in closed batches: %(count)s. Open batch %(numbers)s again to have them judged.")
        words = said % {"count": sum(free.values()), "numbers": ", ".join(map(str, sorted(free)))}
        yield Attention(words, reverse("batch", args=[study.slug, min(free)]))


def _messages(study: Study) -> Iterator[Attention]:
    waiting = unanswered_threads().filter(assignment__hit__batch__study=study)
    by_batch = waiting.order_by().values_list("assignment__hit__batch__number").annotate(n=Count("pk"))
    for number, count in by_batch.order_by("assignment__hit__batch__number"):
        words = ngettext("One message of an annotator to answer", "{count} messages of annotators to answer", count)
        address = reverse("batch", args=[study.slug, number]) + "#messages"
        yield Attention(words.format(count=count), address)
    if count := threads_beside_tasks(study):
        words = ngettext(
            "One message about the study or a round to answer",
            "{count} messages about the study or its rounds to answer",
            count,
        )
        yield Attention(words.format(count=count), reverse("crowd_messages", args=[study.slug]))


def _unread(study: Study) -> Iterator[Attention]:
    if count := unread_labels(study).count():
        words = ngettext(
            "One reply of a language model that only a person can read",
            "{count} replies of a language model that only a person can read",
            count,
        )
        yield Attention(words.format(count=count), reverse("unread", args=[study.slug]))


def _webhooks(study: Study) -> Iterator[Attention]:
    for endpoint in study.webhooks.exclude(switched_off_at=None).exclude(switched_off_because=""):
        yield Attention(
            _("A webhook was switched off, for its server did not answer."),
            reverse("study_webhook", args=[study.slug, endpoint.pk]),
        )


def _far(study: Study, snapshot: AgreementSnapshot | None) -> Iterator[Attention]:
    """Who stands far apart, and in what: each line leads to the page that says it in figures."""
    if snapshot is None:
        return
    found = dict(_far_names(snapshot.pk, snapshot.measured_at))
    address = reverse("agreement_annotators", args=[study.slug])
    if names := found.pop(THE_WORK, None):
        words = ngettext(
            "{names} stands far apart from the others in time or explanations",
            "{names} stand far apart from the others in time or explanations",
            len(names),
        )
        yield Attention(words.format(names=_named(names)), address)
    aspects = [each for each in snapshot.head.aspects if each.aspect in found]
    if aspects:
        most = max(aspects, key=lambda each: len(found[each.aspect]))
        names = found[most.aspect]
        words = ngettext(
            "{names} stands far apart from the others on “{aspect}”",
            "{names} stand far apart from the others on “{aspect}”",
            len(names),
        ).format(names=_named(names), aspect=most.title)
        if more := len(aspects) - 1:
            words += ngettext(
                "; on another aspect somebody does, too", "; on {count} more aspects somebody does, too", more
            ).format(count=more)
        yield Attention(words, f"{address}?aspect={most.aspect}")


def _named(names: tuple[str, ...]) -> str:
    return ", ".join(names[:NAMED]) + (", …" if len(names) > NAMED else "")


@lru_cache(maxsize=256)
def _far_names(snapshot: int, measured_at: datetime) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Who stands far apart, by the key of the aspect and in the work as a whole. A snapshot never changes, and of
    thousands of annotators it is long."""
    stored = AgreementSnapshot.objects.get(pk=snapshot)
    readable = {ANNOTATORS.key, WORK.key} - of_another_version(stored).keys()
    found: dict[str, tuple[str, ...]] = {}
    rows = SnapshotSection.objects.filter(snapshot=stored, key__in=readable)
    for key, aspect, figures in rows.values_list("key", "aspect", "figures"):
        section = WORK.from_stored(figures) if key == WORK.key else ANNOTATORS.from_stored(figures)
        if names := sorted(each.name for each in section.annotators if each.far):
            found[aspect] = tuple(names)
    return tuple(found.items())
