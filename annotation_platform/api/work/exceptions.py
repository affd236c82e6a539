"""What happens to a task beside judging it: more time, what comes too late, and a change that is dropped."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.scopes import Scope
from annotation_platform.annotations import selectors, services
from annotation_platform.annotations.late import LateForm, keep_late_judgment
from annotation_platform.api.frame.serializers import Input, Output
from annotation_platform.api.frame.views import ApiView, actor_of, sent
from annotation_platform.api.work.selectors import language, task
from annotation_platform.api.work.serializers import JudgmentSent, Submitted, TaskRead
from annotation_platform.core.errors import ConflictError
from annotation_platform.studies.models import Batch, SchemeVersion
from annotation_platform.studies.services import close_batch_if_complete, lengthen_lease
from workers.tasks import sweep


class MoreTimeSent(Input):
    extensions = serializers.IntegerField(
        min_value=0, max_value=32_767, help_text="“extensions” of the task as it was read, so that twice counts once."
    )


class KeptLate(Output):
    next_position = serializers.IntegerField(allow_null=True, help_text="What is not judged yet in the task.")


class MoreTime(ApiView):
    scopes = {"POST": Scope.ANNOTATE}

    @extend_schema(request=MoreTimeSent, responses=TaskRead, operation_id="task_more_time")
    def post(self, request: Request, pk: int) -> Response:
        """Lengthen one's time for a task, as often as the study allows; 409 says that it does not."""
        held = selectors.held_assignment(request.user, pk)
        lengthen_lease(
            assignment=held.assignment,
            annotator=held.annotator,
            extensions=sent(MoreTimeSent, request)["extensions"],
            actor=actor_of(request),
        )
        return Response(task(selectors.held_assignment(request.user, pk)))


class DropChange(ApiView):
    scopes = {"POST": Scope.ANNOTATE}

    @extend_schema(request=None, responses=Submitted, operation_id="task_drop_change")
    def post(self, request: Request, pk: int, position: int) -> Response:
        """Forget what was typed since a question was submitted; where nothing else waits, the task is submitted."""
        selectors.held_assignment(request.user, pk)
        submission = services.drop_change(actor=actor_of(request), assignment_id=pk, position=position)
        if submission.hit_is_complete and close_batch_if_complete(
            batch=Batch.objects.get(pk=submission.batch_id), actor=actor_of(request)
        ):
            sweep.delay_on_commit()
        return Response({"next_position": submission.next_position, "task_is_complete": submission.hit_is_complete})


class LateJudgment(ApiView):
    scopes = {"POST": Scope.ANNOTATE}

    @extend_schema(request=JudgmentSent, responses=KeptLate, operation_id="judgment_submit_late")
    def post(self, request: Request, pk: int, position: int) -> Response:
        """Keep a judgment for which the time has run out and whose task somebody else has; a researcher decides.

        Submitting it says so, by 409 and the code “annotations.task_taken_over”. While it would be taken: 409.
        """
        form = sent(JudgmentSent, request)
        held = selectors.held_assignment(request.user, pk, proof=form["holder"])
        if not held.is_late:
            raise ConflictError("api.not_late")
        if (scheme := SchemeVersion.scheme_of(form["scheme_signature"], language())) is None:
            raise services.SchemeChangedError
        late = LateForm(position=position, scheme=scheme, raw=form.pop("values"), **form)
        waiting = keep_late_judgment(
            assignment=held.assignment, annotator=held.annotator, form=late, actor=actor_of(request)
        )
        return Response({"next_position": waiting})
