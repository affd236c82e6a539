"""What the page about checks shows: the checks, the annotators, what was done, and where checks can go in."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db.models import Case, Count, Exists, OuterRef, QuerySet, Subquery, When
from django.db.models.functions import Coalesce
from django.utils.translation import gettext, ngettext

from annotation_platform.core.citations import format_sentence_references
from annotation_platform.core.schemes import Aspect, SpansAspect
from annotation_platform.core.schemes.conditions import NONE
from annotation_platform.core.schemes.spans import in_words as spans_in_words
from annotation_platform.crowd.checks.figures import CheckFigures, Result, Share, by_annotator, by_check
from annotation_platform.crowd.checks.models import Action, Check, CheckAction, CheckResult, CheckRule, Placement
from annotation_platform.crowd.checks.rule import Limits, holds
from annotation_platform.crowd.checks.selectors import left_aside
from annotation_platform.studies.models import BatchState, Hit, Item, Member, Study

NOBODY = CheckFigures(Share(0, 0), Share(0, 0))


@dataclass(frozen=True)
class CheckLine:
    """A check, in how many tasks it is, and what came of it; ``repeated``: judged by somebody who had met it."""

    check: Check
    accepted: list[tuple[str, str]]
    tasks: int
    repeated: int
    figures: CheckFigures


class AnnotatorLine(NamedTuple):
    """An annotator, and how many checks they passed."""

    member: Member
    share: Share


class ActionLine(NamedTuple):
    """What was done, how the same results look now, and whether the rule would still say so."""

    action: CheckAction
    failed_now: int
    still_holds: bool


class Drafts(NamedTuple):
    """The tasks of draft batches, and how many of them have a check."""

    tasks: int
    checked: int


class LinesOfChecks:
    """The lines of a study's checks, aspects in a language of its scheme. Results are read once; a line is put together
    when it is asked for.
    """

    def __init__(self, study: Study, language: str = "en") -> None:
        self._study, self._language = study, language
        self._figures = by_check(_results(study))
        placed = Placement.objects.filter(check_item__study=study).order_by().values_list("check_item")
        self._tasks = Counter(dict(placed.annotate(Count("pk"))))
        again = CheckResult.objects.filter(check_item__study=study, is_repeated=True).order_by()
        self._repeated = Counter(dict(again.values_list("check_item").annotate(Count("pk"))))

    @property
    def checks(self) -> QuerySet[Check]:
        """The checks with what their lines name."""
        checks: QuerySet[Check] = self._study.checks.select_related("question__article__corpus")
        return checks.prefetch_related("answers__answer__system")

    def line(self, check: Check) -> CheckLine:
        """That of one of :attr:`checks`."""
        words = in_words(self._study, check, self._language)
        figures = self._figures.get(check.pk, NOBODY)
        return CheckLine(check, words, self._tasks[check.pk], self._repeated[check.pk], figures)


def check_lines(study: Study, keys: Collection[int] | None = None, language: str = "en") -> list[CheckLine]:
    """The checks of a study, or those with these keys, those in use first."""
    lines = LinesOfChecks(study, language)
    checks = lines.checks if keys is None else lines.checks.filter(pk__in=keys)
    return [lines.line(each) for each in sorted(checks, key=lambda check: (check.retired_at is not None, check.pk))]


def annotator_lines(study: Study) -> list[AnnotatorLine]:
    """Who judged checks that count, the lowest share first."""
    shares = by_annotator(_results(study, in_use=True))
    members = Member.objects.filter(pk__in=shares)
    lines = [AnnotatorLine(member, shares[member.pk]) for member in members]
    return sorted(lines, key=lambda line: (line.share.percent or 0, line.member.pseudonym))


def action_lines(study: Study) -> list[ActionLine]:
    """What the rule did, newest first, beside what it rests on now that accepted answers may have been corrected."""
    limits = limits_of(study)
    return [action_line(each, limits) for each in actions_of(study)]


def limits_of(study: Study) -> Limits:
    """By which the study's rule says now whether something follows."""
    rule = CheckRule.objects.filter(study=study).first()
    return Limits(rule.most_failed, rule.least_percent, rule.least_judged) if rule else Limits(None, None, 1)


def actions_of(study: Study) -> QuerySet[CheckAction]:
    """What the rule did, newest first; ``judged_now`` and ``failed_now`` count the results that it rests on now, and
    ``left_aside`` the tasks that stay aside after an exclusion that was undone."""
    mine = CheckAction.objects.filter(annotator=OuterRef("annotator"), pk__lt=OuterRef("pk")).order_by("-pk")
    results = CheckResult.objects.filter(
        annotator=OuterRef("annotator"),
        is_repeated=False,
        check_item__retired_at=None,
        pk__gt=OuterRef("after"),
        pk__lte=OuterRef("last_result"),
    )
    counted = results.order_by().values("annotator").annotate(count=Count("pk")).values("count")
    aside = left_aside().filter(annotator=OuterRef("annotator")).order_by().values("annotator")
    undone = When(
        action=Action.EXCLUDE, undone_at__isnull=False, then=aside.annotate(count=Count("pk")).values("count")
    )
    return (
        CheckAction.objects.filter(annotator__study=study)
        .select_related("annotator__study")
        .annotate(after=Coalesce(Subquery(mine.values("last_result")[:1]), 0))
        .annotate(
            judged_now=Coalesce(Subquery(counted), 0),
            failed_now=Coalesce(Subquery(counted.filter(passed=False)), 0),
            left_aside=Coalesce(Case(undone), 0),
        )
    )


def action_line(action: Any, limits: Limits) -> ActionLine:
    """One of :func:`actions_of` with what the rule would say now."""
    failed = action.failed_now
    return ActionLine(action, failed, holds(limits, judged=action.judged_now, failed=failed))


def drafts_of(study: Study) -> Drafts:
    """What could be mixed into."""
    hits = Hit.objects.filter(batch__study=study, batch__state=BatchState.DRAFT)
    checked = hits.filter(Exists(Item.every.filter(hit=OuterRef("pk"), is_check=True)))
    return Drafts(hits.count(), checked.count())


def told_left_aside(member: Member) -> str:
    """What is told of the tasks that an exclusion set aside, and that do not count again after it; empty: of none."""
    count = left_aside().filter(annotator=member).count()
    told = ngettext(
        "%(count)s task of %(annotator)s stays aside, because somebody else has its place by now or the scheme "
        "has another version: it counts in no figure. Without a verdict, it can be approved on Review to be paid.",
        "%(count)s tasks of %(annotator)s stay aside, because others have their places by now or the scheme "
        "has another version: they count in no figure. Those without a verdict can be approved on Review to be paid.",
        count,
    )
    return told % {"count": count, "annotator": member} if count else ""


def in_words(study: Study, check: Check, language: str = "en") -> list[tuple[str, str]]:
    """What a check accepts, as aspect and answers."""
    aspects = {aspect.key: aspect for aspect in study.scheme(language).aspects}
    found = []
    for key, answers in check.accepted.items():
        name, _, number = key.partition(".")
        aspect = aspects.get(name)
        title = (aspect.title if aspect else name) + (f", {number}" if number else "")
        found.append((title, _answers_in_words(aspect, answers) or NONE))
    return found


def _answers_in_words(aspect: Aspect | None, answers: list[Any]) -> str:
    if isinstance(aspect, SpansAspect):
        return spans_in_words(aspect, answers)
    if all(isinstance(each, int) for each in answers):
        return format_sentence_references(answers)
    return gettext(" or ").join(map(str, answers))


def _results(study: Study, *, in_use: bool = False) -> list[Result]:
    rows = CheckResult.objects.filter(check_item__study=study, is_repeated=False)
    if in_use:
        rows = rows.filter(check_item__retired_at=None)
    return [
        Result(check, annotator, passed, tuple(missed))
        for check, annotator, passed, missed in rows.values_list("check_item", "annotator", "passed", "missed")
    ]
