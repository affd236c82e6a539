"""Annotating with a front end of one's own: taking tasks, drafts, judgments, giving back, words to the researcher."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.scopes import Scope
from annotation_platform.annotations import selectors, services
from annotation_platform.annotations.migrating import carried_over, had_before
from annotation_platform.annotations.models import Message
from annotation_platform.annotations.stops import check_read, read_note
from annotation_platform.annotations.taking import give_back_task, hold_item, take_task
from annotation_platform.annotations.threads import thread_of_task
from annotation_platform.api.frame.pages import whole
from annotation_platform.api.frame.schema import listed_whole
from annotation_platform.api.frame.serializers import names_of
from annotation_platform.api.frame.views import ApiView, actor_of, sent
from annotation_platform.api.work.entering import as_annotator
from annotation_platform.api.work.selectors import language, task, task_with_items, waiting
from annotation_platform.api.work.serializers import (
    DraftRead,
    DraftSent,
    JudgmentSent,
    MessageRead,
    MessageSent,
    NoteRead,
    Submitted,
    TaskRead,
    TaskWithItems,
    WaitingRead,
)
from annotation_platform.studies.models import AssignmentState, Batch, SchemeVersion
from annotation_platform.studies.services import close_batch_if_complete, renew_lease
from workers.tasks import sweep


class Work(ApiView):
    scopes = {"GET": Scope.ANNOTATE}

    @extend_schema(
        responses=inline_serializer("WaitingList", {"results": WaitingRead(many=True)}), operation_id="work_list"
    )
    def get(self, request: Request) -> Response:
        """The studies that one annotates, what waits in each, and why nothing can be taken."""
        return Response({"results": list(waiting(request.user))})


class TakeTask(ApiView):
    scopes = {"POST": Scope.ANNOTATE}

    @extend_schema(request=None, responses=TaskWithItems, operation_id="work_take")
    def post(self, request: Request, slug: str) -> Response:
        """A task of a study: the one under way, or the next one; 409 while a note waits to be read."""
        member = as_annotator(request, slug)
        check_read(member)
        assignment = take_task(annotator=member, actor=actor_of(request))
        return Response(task_with_items(selectors.held_assignment(request.user, assignment.pk)))


class ReadNote(ApiView):
    scopes = {"POST": Scope.ANNOTATE}

    @extend_schema(request=NoteRead, responses={204: None}, operation_id="work_note_read")
    def post(self, request: Request, slug: str) -> Response:
        """Say that a person read a note; the problem “annotations.note_unread” has its name and its words."""
        read_note(as_annotator(request, slug), sent(NoteRead, request)["note"])
        return Response(status=204)


class Tasks(ApiView):
    scopes = {"GET": Scope.ANNOTATE}

    @extend_schema(responses=inline_serializer("TaskList", {"results": TaskRead(many=True)}), operation_id="tasks_list")
    def get(self, request: Request) -> Response:
        """The tasks that one has under way."""
        mine = selectors.assignments_of(request.user, AssignmentState.CLAIMED).values_list("pk", flat=True)
        return Response({"results": [task(selectors.held_assignment(request.user, pk)) for pk in mine]})


class OneTask(ApiView):
    scopes = {"GET": Scope.ANNOTATE}

    @extend_schema(responses=TaskWithItems, operation_id="task_read")
    def get(self, request: Request, pk: int) -> Response:
        """A task of one's own with all that its pages show."""
        return Response(task_with_items(selectors.held_assignment(request.user, pk)))


class GiveBack(ApiView):
    scopes = {"POST": Scope.ANNOTATE}

    @extend_schema(request=None, responses={204: None}, operation_id="task_give_back")
    def post(self, request: Request, pk: int) -> Response:
        """Free a task for somebody else; what was done stays, should one take it again."""
        held = selectors.held_assignment(request.user, pk)
        give_back_task(assignment=held.assignment, annotator=held.annotator, actor=actor_of(request))
        return Response(status=204)


class Draft(ApiView):
    scopes = {"PUT": Scope.ANNOTATE}

    @extend_schema(request=DraftSent, responses=DraftRead, operation_id="draft_save")
    def put(self, request: Request, pk: int, position: int) -> Response:
        """Keep what is typed; “version” is that of the draft which was read, so that no other device's is lost."""
        with transaction.atomic():
            typed = sent(DraftSent, request)
            held, item = hold_item(request.user, pk, position, proof=typed["holder"])
            held.check_attempt(typed.pop("holder"))
            if held.is_open:
                renew_lease(assignment=held.assignment)
            study, signature = held.assignment.hit.batch.study, typed.pop("scheme_signature")
            if signature not in ("", study.scheme_version.signature):
                if not had_before(study, signature):
                    raise services.SchemeChangedError
                typed["values"] = carried_over(study, typed["values"], signature=signature)
            draft = services.save_draft(annotator=held.annotator, item=item, **typed)
        return Response({"version": draft.version})


class Judgment(ApiView):
    scopes = {"POST": Scope.ANNOTATE}

    @extend_schema(request=JudgmentSent, responses=Submitted, operation_id="judgment_submit")
    def post(self, request: Request, pk: int, position: int) -> Response:
        """Submit the judgment of a question; the last one that is missing submits the task."""
        selectors.held_assignment(request.user, pk)
        form = sent(JudgmentSent, request)
        if (scheme := SchemeVersion.scheme_of(form["scheme_signature"], language())) is None:
            raise services.SchemeChangedError
        submission = services.submit_judgment(
            actor=actor_of(request),
            assignment_id=pk,
            position=position,
            scheme=scheme,
            scheme_signature=form["scheme_signature"],
            raw=form["values"],
            seconds=form["seconds"],
            submission_id=form["submission_id"],
            draft_version=form["draft_version"],
            holder=form["holder"],
        )
        if submission.hit_is_complete and close_batch_if_complete(
            batch=Batch.objects.get(pk=submission.batch_id), actor=actor_of(request)
        ):
            sweep.delay_on_commit()
        return Response({"next_position": submission.next_position, "task_is_complete": submission.hit_is_complete})


class Messages(ApiView):
    scopes = {"GET": Scope.ANNOTATE, "POST": Scope.ANNOTATE}

    @extend_schema(responses=listed_whole("MessageList", MessageRead), operation_id="messages_list")
    def get(self, request: Request, pk: int) -> Any:
        """The thread of a task, for its annotator and the study's researchers."""
        thread, _reader = thread_of_task(request.user, pk)
        return whole(request, thread.words, told_message, fields=names_of(MessageRead))

    @extend_schema(request=MessageSent, responses={201: MessageRead}, operation_id="message_send")
    def post(self, request: Request, pk: int) -> Response:
        """Add a word about the task, or about one of its questions."""
        thread, author = thread_of_task(request.user, pk)
        assert thread.assignment is not None  # it is a task's
        assignment, new = thread.assignment, sent(MessageSent, request)
        item = selectors.item_at(assignment, new["position"]) if new["position"] else None
        message = services.send_message(
            assignment=assignment,
            author=author,
            annotator=thread.annotator,
            text=new["text"],
            item=item,
            actor=actor_of(request),
        )
        return Response(told_message(message), status=201)


def told_message(each: Message) -> Mapping[str, Any]:
    return {
        "id": each.pk,
        "author": each.author.pseudonym,
        "role": each.author.role,
        "position": each.item.position if each.item else None,
        "text": each.text,
        "created_at": each.created_at,
    }
