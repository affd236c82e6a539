"""Reads for the annotator's pages: whose assignment it is, what waits, what was typed."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation_platform.annotations.holding import check_attempt, proof_of
from annotation_platform.annotations.models import Annotation, Draft, Hint, LateJudgment, Message
from annotation_platform.core import reasons
from annotation_platform.core.errors import NotThereError
from annotation_platform.core.items import ItemTexts
from annotation_platform.core.methods.vacuousness import Reason
from annotation_platform.core.schemes import Scheme
from annotation_platform.studies.eligibility import Moment, refusal
from annotation_platform.studies.items import item_texts
from annotation_platform.studies.models import (
    Assignment,
    AssignmentState,
    Item,
    Member,
    Role,
    Study,
    takes_judgments,
)
from annotation_platform.studies.own_places import hits_left
from annotation_platform.studies.selectors import presentation_order
from annotation_platform.studies.steps import next_step, way_out


@dataclass(frozen=True)
class HeldAssignment:
    """An assignment, seen by somebody who holds it, or who held it until the lease ran out (``is_lost``)."""

    assignment: Assignment
    annotator: Member
    is_lost: bool

    @property
    def is_open(self) -> bool:
        batch = self.assignment.hit.batch
        time_is_up = batch.is_finishing and self.assignment.has_expired
        return not self.is_lost and batch.takes_judgments and not time_is_up and self.is_of_this_time

    @property
    def is_of_this_time(self) -> bool:
        """Whether it belongs to the annotator's present time through the study's tasks, not to an earlier attempt."""
        return self.assignment.replicate == self.annotator.replicate

    @property
    def is_late(self) -> bool:
        """Whether the time ran out and somebody else has it, so that a person decides about what is still sent."""
        return self.is_lost and self.assignment.annotator is not None

    @property
    def proof(self) -> str:
        """A mark for the form: who sends it held this assignment in this attempt, even if it is lost by then."""
        return proof_of(self.assignment, self.annotator)

    def check_attempt(self, proof: str) -> None:
        """As :func:`~annotation_platform.annotations.holding.check_attempt`; who has lost it has no other attempt."""
        if not self.is_lost:
            check_attempt(self.assignment, self.annotator, proof)


@dataclass(frozen=True)
class Waiting:
    """A study of an annotator, whether a task of it is under way, how many they could take after that, or why none."""

    study: Study
    member: Member
    is_busy: bool
    hits: int
    description: str
    refusal: reasons.Reason | None
    step: str | None
    """The page on which they do what comes before the next task."""
    way_out: str | None


@dataclass(frozen=True)
class HintOutcome:
    """A hint, and whether the text was another one when it was submitted (None: not submitted yet, or its field was
    asked no more).
    """

    hint: Hint
    has_changed: bool | None


@dataclass(frozen=True)
class HintTally:
    """How many hints were given for one reason, and what came of them."""

    reason: Reason
    shown: int
    changed: int
    """Of these, another text was submitted afterwards."""
    kept: int
    """The same text was submitted. The others were not submitted yet."""
    dismissed: int
    """The annotator said that it is fine."""


@dataclass(frozen=True)
class Content:
    """Where the fields of a question start: the draft, or the last submitted revision, or nothing.

    ``under`` is the signature of the version of the scheme that a revision was submitted under; "" for a draft, which
    has the keys of the study's.
    """

    values: dict[str, Any]
    version: int
    seconds: float
    under: str = ""


def held_assignment(
    user: Any, pk: int, *, proof: str = "", places: QuerySet[Assignment] | None = None
) -> HeldAssignment:
    """The assignment, for the person who holds it or held it; ``places``: all, unless they are to be locked.

    Raises
    ------
    NotThereError
        For everybody else, as if it did not exist.
    """
    some = Assignment.objects.all() if places is None else places
    assignment = (
        some.select_related("annotator", "hit__article__corpus", "hit__batch__study__scheme_version")
        .defer("hit__batch__study__scheme_version__definition")
        .filter(pk=pk)
        .first()
    )
    if assignment is not None:
        if assignment.annotator is not None and assignment.annotator.user_id == user.pk:
            return HeldAssignment(assignment, assignment.annotator, is_lost=False)
        study = assignment.hit.batch.study
        member = Member.objects.filter(study=study, user=user, role=Role.ANNOTATOR).first()
        if member is not None:
            held = HeldAssignment(assignment, member, is_lost=True)
            if held.proof == proof or _left_traces(held):
                return held
    raise NotThereError("annotations.no_task")


def item_at(assignment: Assignment, position: int) -> Item:
    """The item at a position of the HIT.

    Raises
    ------
    NotThereError
        When the HIT has no such position.
    """
    item: Item = at_position(Item.every.filter(hit=assignment.hit_id, position=position), position)
    return item


def at_position(items: Iterable[Any], position: int) -> Any:
    """The one of a HIT's items at a position; refused as by :func:`item_at`."""
    for item in items:
        if item.position == position:
            return item
    raise NotThereError("annotations.no_question")


def material_of(item: Item, scheme: Scheme, annotator: Member) -> ItemTexts:
    """What the page shows of an item: the parts of its scheme, candidates in the annotator's own order."""
    (texts,) = item_texts(Item.every.filter(pk=item.pk), scheme.parts)
    if not texts.candidates:
        return texts
    answers = {each.number: each for each in texts.candidates}
    order = presentation_order(item_id=item.pk, member_id=annotator.pk, count=len(answers))
    return replace(texts, answers=tuple(answers[number] for number in order))


def content_of(held: HeldAssignment, item: Item) -> Content:
    """What the annotator has typed for an item so far, on whatever device and in whichever assignment.

    Nothing of it is from another time through the study's tasks.
    """
    draft = Draft.objects.filter(annotator=held.annotator, item=item).first() if held.is_of_this_time else None
    if draft is not None:
        return Content(draft.values, draft.version, draft.seconds)
    waiting = LateJudgment.objects.filter(annotator=held.annotator, item=item, state=LateJudgment.State.WAITING)
    late = waiting.select_related("scheme_version").defer("scheme_version__definition").first()
    if late is not None and held.is_of_this_time:
        return Content(late.values, 0, late.seconds or 0, late.scheme_version.signature)
    mine = Annotation.given.filter(annotator=held.annotator, item=item, assignment__replicate=held.assignment.replicate)
    mine = mine.select_related("scheme_version").defer("scheme_version__definition")
    last = mine.order_by("-created_at", "-pk").first()
    if last is not None:
        return Content(last.values, 0, last.seconds or 0, last.scheme_version.signature)
    return Content({}, 0, 0)


def submitted_values(held: HeldAssignment, item: Item) -> dict[str, Any] | None:
    """The values of the annotator's judgment that counts in the assignment; None without one."""
    counted = Annotation.given.current().filter(assignment=held.assignment, annotator=held.annotator, item=item)
    return counted.values_list("values", flat=True).first()


def items_of(held: HeldAssignment) -> QuerySet[Any]:
    """The HIT's items, each with whether the annotator has judged, drafted, or judged and then changed it.

    Of a task whose time has run out, what was sent too late counts as judged, too.
    """
    mine = Annotation.given.filter(item=OuterRef("pk"), annotator=held.annotator, assignment=held.assignment)
    is_judged = Q(Exists(mine if held.is_late else mine.current()))
    if held.is_late:
        waiting = LateJudgment.State.WAITING
        late = LateJudgment.objects.filter(item=OuterRef("pk"), annotator=held.annotator, state=waiting)
        is_judged = is_judged | Q(Exists(late))
    is_drafted = Exists(Draft.objects.filter(item=OuterRef("pk"), annotator=held.annotator))
    return (
        Item.every.filter(hit=held.assignment.hit_id)
        .select_related("question")
        .annotate(is_judged=is_judged, is_drafted=is_drafted, is_changed=is_judged & is_drafted)
        .order_by("position")
    )


def has_judged_before(annotator: Member) -> bool:
    return Annotation.given.filter(annotator=annotator).exists()


def studies_of(user: Any, language: str) -> list[Waiting]:
    """The studies that a user annotates, what each asks for, and what waits in it; rounds are no studies to them."""
    busy = Assignment.objects.in_hand().filter(annotator=OuterRef("pk"))
    members = (
        Member.objects.filter(user=user, role=Role.ANNOTATOR, study__archived_at=None, study__qualifies_for=None)
        .select_related("study__scheme_version")
        .annotate(is_busy=Exists(busy))
        .order_by("study__name")
    )
    return [
        Waiting(
            each.study,
            each,
            each.is_busy,
            waiting_hits(each),
            each.study.scheme(language).description,
            refusal(each, Moment.TAKING),
            next_step(each),
            way_out(each),
        )
        for each in members
    ]


def waiting_hits(annotator: Member) -> int:
    """How many HITs have a free assignment for this annotator."""
    if annotator.study.is_round:
        return hits_left(annotator).count()
    return Assignment.objects.free_for(annotator).values("hit").distinct().count()


def assignments_of(user: Any, *states: AssignmentState) -> QuerySet[Any]:
    """A user's assignments in these states, each with how many items it has, how many are judged and where to go on."""
    judged = Annotation.given.filter(item=OuterRef("pk"), assignment=OuterRef(OuterRef("pk")), is_current=True)
    changed = Draft.objects.filter(item=OuterRef("pk"), annotator=OuterRef(OuterRef("annotator")))
    waiting = Item.every.filter(~Exists(judged) | Exists(changed), hit=OuterRef("hit")).order_by("position")
    words = Message.objects.filter(assignment=OuterRef("pk"), annotator=OuterRef("annotator")).order_by("-pk")
    return (
        Assignment.objects.filter(annotator__user=user, annotator__role=Role.ANNOTATOR, state__in=states)
        .select_related("hit__article", "hit__batch__study", "annotator")
        .annotate(
            item_count=Count("hit__items", distinct=True),
            judged_count=Count("annotations", filter=Q(annotations__is_current=True), distinct=True),
            message_count=Count("messages", filter=Q(messages__annotator=F("annotator")), distinct=True),
            last_word_by=Subquery(words.values("author__role")[:1]),
            last_word_on=Subquery(words.values("item__position")[:1]),
            next_position=Coalesce(Subquery(waiting.values("position")[:1]), 1),
        )
    )


def changes_of(user: Any) -> QuerySet[Draft]:
    """What a user changed in judgments and has not submitted yet, each with the assignment it is ``submitted_in``."""
    submitted = Annotation.given.current().filter(item=OuterRef("item"), annotator=OuterRef("annotator"))
    return (
        Draft.objects.filter(takes_judgments("item__hit__batch__"), annotator__user=user)
        .annotate(submitted_in=Subquery(submitted.values("assignment")[:1]))
        .filter(submitted_in__isnull=False)
        .select_related("item__hit__article", "item__hit__batch__study")
        .order_by("updated_at")
    )


def late_work_of(user: Any) -> QuerySet[LateJudgment]:
    """What a user submitted when their time had run out, the newest first, each HIT once."""
    mine = LateJudgment.objects.filter(annotator__user=user).exclude(state=LateJudgment.State.REPLACED)
    later = mine.filter(item__hit=OuterRef("item__hit"), annotator=OuterRef("annotator"), pk__gt=OuterRef("pk"))
    return (
        mine.filter(~Exists(later))
        .select_related("item__hit__article", "item__hit__batch__study")
        .order_by("-submitted_at")
    )


def hint_outcomes(study: Study) -> Iterator[HintOutcome]:
    """The hints shown in a study, oldest first, each beside the judgment that came after it.

    Under another version of the scheme than the study's by the text alone, since its field can have another key there.
    """
    judged = Annotation.given.filter(item=OuterRef("item"), annotator=OuterRef("annotator"))
    after = judged.filter(created_at__gte=OuterRef("shown_at")).order_by("created_at", "pk")
    fields = {aspect.key for aspect in study.scheme().aspects}
    for hint in Hint.objects.filter(item__study=study, item__is_check=False).annotate(
        judged_as=Subquery(after.values("values")[:1]), judged_under=Subquery(after.values("scheme_version")[:1])
    ):
        said = hint.judged_as
        if said is not None and hint.judged_under == study.scheme_version_id:
            key = f"{hint.aspect}.{hint.candidate}" if hint.candidate else hint.aspect
            said = {key: said.get(key, "")} if hint.aspect in fields else None
        yield HintOutcome(hint, None if said is None else hint.text.strip() not in said.values())


def hint_tallies(study: Study) -> list[HintTally]:
    """What came of a study's hints, by the reason that they were given for; the most frequent first."""
    by_reason: defaultdict[str, list[HintOutcome]] = defaultdict(list)
    for outcome in hint_outcomes(study):
        by_reason[outcome.hint.reason].append(outcome)
    tallies = [
        HintTally(
            reason=Reason(reason),
            shown=len(outcomes),
            changed=sum(outcome.has_changed is True for outcome in outcomes),
            kept=sum(outcome.has_changed is False for outcome in outcomes),
            dismissed=sum(outcome.hint.dismissed_at is not None for outcome in outcomes),
        )
        for reason, outcomes in by_reason.items()
    ]
    return sorted(tallies, key=lambda tally: -tally.shown)


def _left_traces(held: HeldAssignment) -> bool:
    """Whether somebody who does not hold the assignment wrote something in it once."""
    hit = held.assignment.hit_id
    for rows in (Annotation.given, LateJudgment.objects):
        if rows.filter(assignment=held.assignment, annotator=held.annotator).exists():
            return True
    holds_another = Assignment.objects.filter(hit=hit, annotator=held.annotator).exists()
    return not holds_another and Draft.objects.filter(item__hit=hit, annotator=held.annotator).exists()
