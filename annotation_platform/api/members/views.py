"""Who is in a study: members, what is changed of them, and invitations."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.frame.pages import page
from annotation_platform.api.frame.schema import LISTING, listed
from annotation_platform.api.frame.serializers import names_of
from annotation_platform.api.frame.views import ApiView, actor_of, sent
from annotation_platform.api.members.serializers import (
    Because,
    Exclusion,
    InvitationRead,
    MemberExcluded,
    MemberRead,
    MemberReadmitted,
    NewInvitation,
    NewRole,
    Removal,
    told,
    told_invitation,
)
from annotation_platform.core.errors import NotThereError
from annotation_platform.crowd.checks.selectors import left_aside
from annotation_platform.crowd.review.selectors import aside_by_exclusion, in_closed_batches
from annotation_platform.studies import services
from annotation_platform.studies.invitations import create_invitation, mail_invitation, mail_token, token_of
from annotation_platform.studies.models import Invitation, Member, Role, Study
from annotation_platform.studies.selectors import membership, study_for_admin, study_for_reader

EVERYBODY = [Role.ANNOTATOR, Role.RESEARCHER, Role.ADMIN]


class Members(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(responses=listed("Member", MemberRead), parameters=LISTING, operation_id="members_list")
    def get(self, request: Request, slug: str) -> Any:
        """The members of a study by their pseudonyms, also those who were removed."""
        return page(request, study_for_reader(request.user, slug).members.all(), told, fields=names_of(MemberRead))


class PauseMember(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=Because, responses=MemberRead, operation_id="member_pause")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Let an annotator take nothing new; they read why, and finish what they have."""
        member = _member(study_for_reader(request.user, slug), pk)
        services.pause_member(member=member, because=sent(Because, request)["because"], actor=actor_of(request))
        return Response(told(member))


class ResumeMember(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=None, responses=MemberRead, operation_id="member_resume")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Let an annotator who was paused take tasks again."""
        member = _member(study_for_reader(request.user, slug), pk)
        services.resume_member(member=member, actor=actor_of(request))
        return Response(told(member))


class ExcludeMember(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=Exclusion, responses=MemberExcluded, operation_id="member_exclude")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Let an annotator take and submit nothing any more; their work is set aside unless it is to be kept."""
        member = _member(study_for_reader(request.user, slug), pk)
        services.exclude_member(member=member, actor=actor_of(request), **sent(Exclusion, request))
        asides = aside_by_exclusion(member)
        counts = {"tasks_set_aside": asides.count(), "in_closed_batches": in_closed_batches(asides)}
        return Response({**told(member), **counts})


class ReadmitMember(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=None, responses=MemberReadmitted, operation_id="member_readmit")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Let an annotator who was excluded take tasks again; their work counts again where the place is free."""
        member = _member(study_for_reader(request.user, slug), pk)
        restored = services.readmit_member(member=member, actor=actor_of(request))
        aside = left_aside().filter(annotator=member).count()
        return Response({**told(member), "tasks_restored": restored, "tasks_left_aside": aside})


class _OfAdmins(ApiView):
    scopes = {"POST": Scope.ADMIN}
    change: Callable[..., object]

    def _change(self, request: Request, slug: str, pk: int, **how: Any) -> Response:
        member = _member(study_for_admin(request.user, slug), pk)
        type(self).change(member=member, actor=actor_of(request), **how)
        member.refresh_from_db()
        return Response(told(member))


class ChangeRole(_OfAdmins):
    change = services.change_role

    @extend_schema(request=NewRole, responses=MemberRead, operation_id="member_role")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Give a member another role. For the study's admins."""
        return self._change(request, slug, pk, role=Role(sent(NewRole, request)["role"]))


class RemoveMember(_OfAdmins):
    change = services.remove_member

    @extend_schema(request=Removal, responses=MemberRead, operation_id="member_remove")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Let somebody out of the study; their judgments stay. For its admins."""
        return self._change(request, slug, pk, **sent(Removal, request))


class HandOver(ApiView):
    scopes = {"POST": Scope.ADMIN}

    @extend_schema(request=None, responses=MemberRead, operation_id="member_hand_over")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Make a member admin and yourself researcher, in one step. For the study's admins."""
        study = study_for_admin(request.user, slug)
        member = _member(study, pk)
        admin = membership(request.user, study, Role.ADMIN)
        services.hand_over(admin=admin, to=member, actor=actor_of(request))
        member.refresh_from_db()
        return Response(told(member))


class RestoreMember(_OfAdmins):
    change = services.restore_member

    @extend_schema(request=None, responses=MemberRead, operation_id="member_restore")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Let somebody who was removed in again. For the study's admins."""
        return self._change(request, slug, pk)


class Invitations(ApiView):
    scopes = {"GET": Scope.MANAGE, "POST": Scope.MANAGE}

    @extend_schema(responses=listed("Invitation", InvitationRead), parameters=LISTING, operation_id="invitations_list")
    def get(self, request: Request, slug: str) -> Any:
        """The invitations that one may give: researchers those of annotators, admins all."""
        study = study_for_reader(request.user, slug)
        rows = study.invitations.filter(role__in=_roles_to_give(request, study))
        return page(
            request,
            rows,
            lambda each: told_invitation(each, _link(request, each)),
            fields=names_of(InvitationRead),
            newest_first=True,
        )

    @extend_schema(request=NewInvitation, responses={201: InvitationRead}, operation_id="invitations_create")
    def post(self, request: Request, slug: str) -> Response:
        """A new way in, and, with an address, a mail with it; that one is for one person."""
        study, new = study_for_reader(request.user, slug), sent(NewInvitation, request)
        role, email = Role(new["role"]), new["email"]
        if role not in _roles_to_give(request, study):
            raise NotThereError("studies.for_admins")
        invitation = create_invitation(
            study=study,
            role=role,
            max_uses=1 if email else new["max_uses"],
            valid_for=timedelta(days=new["days"]),
            note=new["note"] or email,
            actor=actor_of(request),
        )
        if email:
            way_in = _mailed_link(request, invitation, email, timedelta(days=new["days"]))
            mail_invitation(invitation=invitation, email=email, link=way_in, actor=actor_of(request))
        return Response(told_invitation(invitation, _link(request, invitation)), status=201)


class RevokeInvitation(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=None, responses=InvitationRead, operation_id="invitation_revoke")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Nobody joins by it any more; who came by it stays."""
        study = study_for_reader(request.user, slug)
        invitation = study.invitations.filter(pk=pk, role__in=_roles_to_give(request, study)).first()
        if invitation is None:
            raise NotThereError("studies.no_invitation")
        services.revoke_invitation(invitation=invitation, actor=actor_of(request))
        invitation.refresh_from_db()
        return Response(told_invitation(invitation, _link(request, invitation)))


def _member(study: Study, pk: int) -> Member:
    if (member := study.members.filter(pk=pk).select_related("study").first()) is None:
        raise NotThereError("studies.no_member")
    return member


def _roles_to_give(request: Request, study: Study) -> list[Role]:
    return EVERYBODY if membership(request.user, study).role == Role.ADMIN else [Role.ANNOTATOR]


def _link(request: Request, invitation: Invitation) -> str:
    return request.build_absolute_uri(reverse("join", args=[token_of(invitation)]))


def _mailed_link(request: Request, invitation: Invitation, email: str, valid_for: timedelta) -> str:
    """For an annotator the way in itself, which works once; others sign in with a password."""
    if invitation.role != Role.ANNOTATOR:
        return _link(request, invitation)
    token = mail_token(invitation, email, valid_for=valid_for)
    return request.build_absolute_uri(reverse("join_by_mail", args=[token]))
