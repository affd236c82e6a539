"""Studies: the list, one of them, making, changing, archiving and deleting them."""

from typing import Any

from django.db import transaction
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.permissions import study_creator
from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.frame.access import user_of
from annotation_platform.api.frame.pages import page
from annotation_platform.api.frame.schema import IF_MATCH, JSON_SCHEMA, LISTING, listed
from annotation_platform.api.frame.serializers import names_of
from annotation_platform.api.frame.versions import check_version, tagged
from annotation_platform.api.frame.views import ApiView, actor_of, sent
from annotation_platform.api.schemes.reading import definition_of, rows_as
from annotation_platform.api.studies.changing import change_settings
from annotation_platform.api.studies.serializers import (
    NewStudy,
    StudyChange,
    StudyChecked,
    StudyPlanned,
    StudyRead,
    TypedName,
    told,
)
from annotation_platform.core.errors import NotThereError
from annotation_platform.core.schemes.judgment_schema import judgment_schema
from annotation_platform.studies import services
from annotation_platform.studies.building import build_study
from annotation_platform.studies.models import Study
from annotation_platform.studies.selectors import corpora_of, membership, study_for_admin, study_for_reader

ARCHIVED = OpenApiParameter("archived", bool, description="true: only those in the archive; false: only the others.")


class Studies(ApiView):
    scopes = {"GET": Scope.READ, "POST": Scope.MANAGE}

    @extend_schema(responses=listed("Study", StudyRead), parameters=[*LISTING, ARCHIVED], operation_id="studies_list")
    def get(self, request: Request) -> Any:
        """The studies in which one is researcher or admin."""
        rows = Study.objects.visible_to(request.user).select_related("scheme_version")
        if (archived := request.query_params.get("archived")) is not None:
            rows = rows.filter(archived_at__isnull=archived.lower() not in ("true", "1"))
        return page(request, rows, told, fields=names_of(StudyRead))

    @extend_schema(request=NewStudy, responses={201: StudyRead}, operation_id="studies_create")
    def post(self, request: Request) -> Response:
        """Make a study of a corpus under a scheme, with its batches planned as drafts, and be its admin."""
        user, new = user_of(request), sent(NewStudy, request)
        definition = definition_of(new.pop("scheme"))
        corpus = corpora_of(user).filter(pk=new.pop("corpus")).first() if user.may_create_studies else None
        if corpus is None:
            raise NotThereError("api.no_corpus")
        study = build_study(owner=user, corpus=corpus, definition=definition, actor=actor_of(request), **new)
        reply = tagged(told(study), status=201)
        reply["Location"] = request.build_absolute_uri(f"{request.path}/{study.slug}")
        return reply


class CheckStudy(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=StudyPlanned, responses=StudyChecked, operation_id="study_check")
    def post(self, request: Request) -> Response:
        """What is wrong with the scheme and the settings of a study, before there are rows for it. Nothing is stored.

        Whether its name is free and its corpus has what the scheme shows is seen when it is made.
        """
        study_creator(request)
        key = definition_of(sent(StudyPlanned, request)["scheme"])["key"]
        return Response({"scheme": key, "rows_as": rows_as(key)})


class OneStudy(ApiView):
    scopes = {"GET": Scope.READ, "PATCH": Scope.MANAGE, "DELETE": Scope.ADMIN}

    @extend_schema(responses=StudyRead, operation_id="study_read")
    def get(self, request: Request, slug: str) -> Response:
        """A study and its settings; the ETag goes with a change of them."""
        return tagged(told(study_for_reader(request.user, slug)))

    @extend_schema(request=StudyChange, responses=StudyRead, parameters=[IF_MATCH], operation_id="study_change")
    def patch(self, request: Request, slug: str) -> Response:
        """Change some settings, if they are still those that were read."""
        study, change = study_for_reader(request.user, slug), sent(StudyChange, request)
        with transaction.atomic():
            Study.objects.select_for_update(no_key=True).get(pk=study.pk)
            study = study_for_reader(request.user, slug)
            check_version(request, told(study))
            change_settings(study=study, sent=change, actor=actor_of(request))
        return tagged(told(study_for_reader(request.user, slug)))

    @extend_schema(request=TypedName, responses={204: None}, operation_id="study_delete")
    def delete(self, request: Request, slug: str) -> Response:
        """Delete a study with all its judgments; for its admins, who write its name once more."""
        study, typed = study_for_admin(request.user, slug), sent(TypedName, request)["name"]
        services.delete_study(study=study, typed_name=typed, actor=actor_of(request))
        return Response(status=204)


class ArchiveStudy(ApiView):
    scopes = {"POST": Scope.ADMIN}

    @extend_schema(request=None, responses=StudyRead, operation_id="study_archive")
    def post(self, request: Request, slug: str) -> Response:
        """Take it out of the lists; nobody gets a task of it any more. For its admins."""
        study = study_for_admin(request.user, slug)
        services.archive_study(study=study, actor=actor_of(request))
        return tagged(told(study))


class RestoreStudy(ApiView):
    scopes = {"POST": Scope.ADMIN}

    @extend_schema(request=None, responses=StudyRead, operation_id="study_restore")
    def post(self, request: Request, slug: str) -> Response:
        """Bring it back from the archive. For its admins."""
        study = study_for_admin(request.user, slug)
        services.restore_study(study=study, actor=actor_of(request))
        return tagged(told(study))


class StudyScheme(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(responses={200: dict}, operation_id="study_scheme")
    def get(self, request: Request, slug: str) -> Response:
        """The definition of its scheme, as it is frozen."""
        return Response(study_for_reader(request.user, slug).scheme_version.definition)


class JudgmentSchema(ApiView):
    scopes = {"GET": Scope.ANNOTATE}

    @extend_schema(responses=JSON_SCHEMA, operation_id="study_judgment_schema")
    def get(self, request: Request, slug: str) -> Response:
        """The JSON Schema of a judgment under its scheme; for its annotators, too."""
        study = Study.objects.select_related("scheme_version").filter(slug=slug).first()
        if study is None:
            raise NotThereError("studies.no_study")
        membership(request.user, study)
        language = "ja" if request.LANGUAGE_CODE == "ja" else "en"
        return Response(judgment_schema(study.scheme(language)), content_type="application/schema+json")
