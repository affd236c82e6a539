"""Batches: the list, one of them, opening, closing and their deadlines."""

from typing import Any

from django.db import transaction
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.batches.selectors import batch_of, batches_of
from annotation_platform.api.batches.serializers import BatchRead, Cut, CutRead, Deadline, HowToClose, changeable, told
from annotation_platform.api.frame.pages import page
from annotation_platform.api.frame.schema import IF_MATCH, LISTING, listed
from annotation_platform.api.frame.serializers import names_of
from annotation_platform.api.frame.versions import check_version, tagged
from annotation_platform.api.frame.views import ApiView, actor_of, sent
from annotation_platform.studies import services
from annotation_platform.studies.models import Batch, Role
from annotation_platform.studies.selectors import membership, study_for_reader
from workers.tasks import sweep


class Batches(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(responses=listed("Batch", BatchRead), parameters=LISTING, operation_id="batches_list")
    def get(self, request: Request, slug: str) -> Any:
        """The batches of a study."""
        return page(request, batches_of(study_for_reader(request.user, slug)), told, fields=names_of(BatchRead))


class CutBatches(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=Cut, responses=CutRead, operation_id="batches_cut")
    def post(self, request: Request, slug: str) -> Response:
        """Cut the tasks of all drafts into drafts of at most so many items, in their order; a task stays whole.

        Drafts whose tasks were drawn by chance stay as they are.
        """
        study = study_for_reader(request.user, slug)
        made = services.cut_batches(study=study, actor=actor_of(request), **sent(Cut, request))
        return Response({"batches": len(made), "numbers": [batch.number for batch in made]})


class OneBatch(ApiView):
    scopes = {"GET": Scope.READ, "PATCH": Scope.MANAGE}

    @extend_schema(responses=BatchRead, operation_id="batch_read")
    def get(self, request: Request, slug: str, number: int) -> Response:
        """A batch and how far it is; the ETag is that of its deadline."""
        return _told(request, slug, number)

    @extend_schema(request=Deadline, responses=BatchRead, parameters=[IF_MATCH], operation_id="batch_change")
    def patch(self, request: Request, slug: str, number: int) -> Response:
        """Another deadline, or none, if it is still the one that was read."""
        batch, change = batch_of(study_for_reader(request.user, slug), number), sent(Deadline, request)
        with transaction.atomic():
            Batch.objects.select_for_update(no_key=True).get(pk=batch.pk)
            before = changeable(batch_of(batch.study, number))
            check_version(request, before)
            services.set_deadline(batch=batch, actor=actor_of(request), **{**before, **change})
        return _told(request, slug, number)


class OpenBatch(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=Deadline, responses=BatchRead, operation_id="batch_open")
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Release a draft: annotators can take its tasks from now on."""
        batch = batch_of(study_for_reader(request.user, slug), number)
        services.open_batch(batch=batch, actor=actor_of(request), **sent(Deadline, request))
        return _told(request, slug, number)


class CloseBatch(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=HowToClose, responses=BatchRead, operation_id="batch_close")
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Close it, now or when those at work have finished; closing it twice does no harm."""
        study = study_for_reader(request.user, slug)
        batch, when = batch_of(study, number), sent(HowToClose, request)["when"]
        by = f"by {membership(request.user, study, Role.RESEARCHER, Role.ADMIN).pseudonym}"
        if when == "finished":
            services.finish_batch(batch=batch, because=f"{by}, after those at work", actor=actor_of(request))
        elif services.close_batch(batch=batch, because=by, actor=actor_of(request)):
            sweep.delay_on_commit()
        return _told(request, slug, number)


class KeepBatchOpen(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=None, responses=BatchRead, operation_id="batch_keep_open")
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Take back that it closes when those at work have finished."""
        batch = batch_of(study_for_reader(request.user, slug), number)
        services.keep_batch_open(batch=batch, actor=actor_of(request))
        return _told(request, slug, number)


class ReopenBatch(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=Deadline, responses=BatchRead, operation_id="batch_reopen")
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Open a closed batch again: its judgments can be changed."""
        batch = batch_of(study_for_reader(request.user, slug), number)
        services.reopen_batch(batch=batch, actor=actor_of(request), **sent(Deadline, request))
        return _told(request, slug, number)


def _told(request: Request, slug: str, number: int) -> Response:
    batch = batch_of(study_for_reader(request.user, slug), number)
    return tagged(told(batch), of=changeable(batch))
