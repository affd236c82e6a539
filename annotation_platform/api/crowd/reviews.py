"""Submitted work: what waits for review, what was decided, approving, rejecting, and answers to appeals."""

from datetime import datetime
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.crowd.entering import annotator_named, as_researcher, one_of
from annotation_platform.api.frame.pages import page
from annotation_platform.api.frame.schema import LISTING, listed
from annotation_platform.api.frame.serializers import Input, Output, choice, names_of
from annotation_platform.api.frame.views import ApiView, actor_of, sent
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.crowd.review import services
from annotation_platform.crowd.review.models import Review, ReviewState
from annotation_platform.crowd.review.selectors import (
    last_judged,
    left_aside,
    reviews_of,
    submission_in,
    waiting_for_review,
)
from annotation_platform.studies.models import FINISHED_STATES, Assignment, Member, SetAside, Study

ASIDE = "aside"
STATES = [*ReviewState.values, ASIDE]
HOW = [
    OpenApiParameter(
        "state",
        str,
        enum=STATES,
        description="waiting (usual), or how it was decided; aside: what waits and stays aside although its annotator, "
        "who was excluded, takes part again. It can be approved.",
    ),
    OpenApiParameter("annotator", int, description="Only the work of this member."),
]


class ReviewRead(Output):
    assignment = serializers.IntegerField()
    annotator = serializers.IntegerField(help_text="Key of the member.")
    pseudonym = serializers.CharField()
    batch = serializers.IntegerField()
    state = choice(ReviewState.values)
    submitted_at = serializers.DateTimeField(allow_null=True)
    because = serializers.CharField(help_text="Why it was rejected.")
    decided_at = serializers.DateTimeField(allow_null=True)
    changed_at = serializers.DateTimeField(allow_null=True, help_text="When it was last changed after its approval.")
    judged_at = serializers.DateTimeField(
        allow_null=True, help_text="When its last judgment was made: “seen” of a verdict. null: none counts."
    )
    appeal = serializers.CharField(help_text="What the annotator says to it.")
    appeal_note = serializers.CharField(help_text="The answer to the appeal.")


class RejectedRead(ReviewRead):
    place_is_open = serializers.BooleanField(
        help_text="false: its batch is closed. Open it again to have the task judged by somebody else."
    )


class AppealAnswered(ReviewRead):
    counts_again = serializers.BooleanField(
        help_text="false, of work that is approved: it stays aside, since it cannot have its place again."
    )


class Seen(Input):
    seen = serializers.DateTimeField(
        required=False,
        default=None,
        allow_null=True,
        help_text="“judged_at” of the work that you looked at: the verdict is refused when it was changed since.",
    )


class WhyRejected(Seen):
    because = serializers.CharField(max_length=500, help_text="What the annotator reads.")


class AppealAnswer(Input):
    accept = serializers.BooleanField(help_text="true: the work is approved after all.")
    because = serializers.CharField(max_length=500, help_text="What the annotator reads.")


class Reviews(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(responses=listed("Review", ReviewRead), parameters=[*LISTING, *HOW], operation_id="reviews_list")
    def get(self, request: Request, slug: str) -> Any:
        """Submitted work that stands so, of everybody or of one annotator, in the order of keys."""
        study, _ = as_researcher(request, slug)
        state = one_of(request, "state", STATES, usual=ReviewState.WAITING.value)
        annotator = annotator_named(request, study)
        fields = names_of(ReviewRead)
        if state == ASIDE:
            return page(request, left_aside(study, annotator=annotator), _aside, fields=fields)
        if state == ReviewState.WAITING:
            waiting = waiting_for_review(study, annotator=annotator).annotate(judged_at=last_judged("pk"))
            return page(request, waiting, _waiting, fields=fields)
        decided = reviews_of(study, ReviewState(state), annotator=annotator)
        return page(request, decided.annotate(judged_at=last_judged("assignment")), _decided, fields=fields)


class ApproveWork(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=Seen, responses=ReviewRead, operation_id="work_approve")
    def post(self, request: Request, slug: str, pk: int, member: int) -> Response:
        """Approve the work of a member in a task, also what stays aside of who takes part again; its reward is owed."""
        study, by = as_researcher(request, slug)
        found, seen = submission_in(study, pk, member), sent(Seen, request)["seen"]
        if found.aside is not None:
            services.approve_aside(aside=found.aside, by=by, actor=actor_of(request))
        else:
            services.check_theirs(found)
            services.approve(assignment=found.assignment, by=by, seen=seen, actor=actor_of(request))
        return Response(_as_decided(study, pk, member))


class RejectWork(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=WhyRejected, responses=RejectedRead, operation_id="work_reject")
    def post(self, request: Request, slug: str, pk: int, member: int) -> Response:
        """Reject it: it is kept and counts no more, and its place is open to others as long as its batch is."""
        study, by = as_researcher(request, slug)
        found = submission_in(study, pk, member)
        services.check_theirs(found)
        services.reject(assignment=found.assignment, by=by, actor=actor_of(request), **sent(WhyRejected, request))
        is_open = found.assignment.hit.batch.state not in FINISHED_STATES
        return Response(_as_decided(study, pk, member) | {"place_is_open": is_open})


class AnswerAppeal(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=AppealAnswer, responses=AppealAnswered, operation_id="work_appeal_answer")
    def post(self, request: Request, slug: str, pk: int, member: int) -> Response:
        """Accept the appeal against a rejection, or turn it down."""
        study, by = as_researcher(request, slug)
        found, said = submission_in(study, pk, member), sent(AppealAnswer, request)
        if found.review is None:
            raise InvalidInputError("crowd.no_appeal")
        counts = services.decide_appeal(
            review=found.review, accept=said["accept"], note=said["because"], by=by, actor=actor_of(request)
        )
        return Response(_as_decided(study, pk, member) | {"counts_again": counts})


def _waiting(row: Assignment) -> dict[str, Any]:
    assert row.annotator is not None  # it is submitted
    return _undecided(row, row.annotator, row.submitted_at) | {"judged_at": getattr(row, "judged_at", None)}


def _aside(row: SetAside) -> dict[str, Any]:
    return _undecided(row.assignment, row.annotator, row.submitted_at)


def _undecided(place: Assignment, annotator: Member, submitted_at: datetime | None) -> dict[str, Any]:
    about = {"assignment": place.pk, "annotator": annotator.pk, "pseudonym": annotator.pseudonym}
    nothing_yet = {
        "because": "",
        "decided_at": None,
        "changed_at": None,
        "judged_at": None,
        "appeal": "",
        "appeal_note": "",
    }
    state = {"state": ReviewState.WAITING.value, "submitted_at": submitted_at}
    return about | {"batch": place.hit.batch.number} | state | nothing_yet


def _as_decided(study: Study, pk: int, member: int) -> dict[str, Any]:
    review = submission_in(study, pk, member).review
    assert review is not None  # a decision stays
    return _decided(reviews_of(study, review.state).annotate(judged_at=last_judged("assignment")).get(pk=review.pk))


def _decided(row: Review) -> dict[str, Any]:
    """Of a review with its changes and its last judgment: see ``with_changes`` and ``last_judged``."""
    names = ("submitted_at", "because", "decided_at", "changed_at", "judged_at", "appeal", "appeal_note")
    plain = {name: getattr(row, name) for name in names}
    about = {"assignment": row.assignment_id, "annotator": row.annotator_id, "pseudonym": row.annotator.pseudonym}
    return about | {"batch": row.assignment.hit.batch.number, "state": row.state.value} | plain
