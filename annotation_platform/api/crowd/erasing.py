"""Forgetting who somebody is."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.frame.serializers import Input
from annotation_platform.api.frame.views import ApiView, actor_of, sent
from annotation_platform.api.members.serializers import MemberRead, told
from annotation_platform.core.errors import InvalidInputError, NotThereError
from annotation_platform.crowd.providers.vault.identities import erase_person
from annotation_platform.studies.models import Role
from annotation_platform.studies.selectors import study_for_admin


class Erased(Input):
    pseudonym = serializers.CharField(max_length=60, help_text="Of the member, once more: there is no undo.")


class EraseMember(ApiView):
    scopes = {"POST": Scope.ADMIN}

    @extend_schema(request=Erased, responses=MemberRead, operation_id="member_erase")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Forget who an annotator from another platform is, for ever; the judgments stay. For the study's admins.

        Nobody can pay them or write to them afterwards. An account that was made for them at the door goes, too.
        """
        study = study_for_admin(request.user, slug)
        member = study.members.filter(pk=pk, role=Role.ANNOTATOR).select_related("study").first()
        if member is None:
            raise NotThereError("studies.no_member")
        if sent(Erased, request)["pseudonym"].strip() != member.pseudonym:
            raise InvalidInputError("crowd.pseudonym_differs", member=member.pseudonym)
        erase_person(member=member, actor=actor_of(request))
        member.refresh_from_db()
        return Response(told(member))
