"""Who may download a release without being in its study: naming people and teams, and what one was given oneself."""

from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.frame.access import user_of
from annotation_platform.api.frame.pages import page
from annotation_platform.api.frame.schema import LISTING, listed
from annotation_platform.api.frame.serializers import Input, Output, choice, names_of
from annotation_platform.api.frame.views import ApiView, actor_of, sent
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.releases.freeze import reading
from annotation_platform.releases.freeze.rights import (
    give_right,
    releases_given_to,
    revoke_right,
    right_to,
    teams_of,
)
from annotation_platform.releases.models import DownloadRight, Release
from annotation_platform.studies.models import Role
from annotation_platform.studies.selectors import membership, study_for_admin


class RightRead(Output):
    id = serializers.IntegerField()
    email = serializers.CharField(allow_null=True, help_text="Of a person, who downloads once it is confirmed.")
    team = serializers.CharField(allow_null=True, help_text="Slug of a study.")
    role = choice(Role.values, allow_null=True, help_text="Everybody who has it in that study.")
    downloads = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    revoked_at = serializers.DateTimeField(allow_null=True)


class NewRight(Input):
    """Either a person or a team."""

    email = serializers.EmailField(required=False, default="", allow_blank=True, max_length=254)
    team = serializers.SlugField(
        required=False, allow_null=True, default=None, max_length=80, help_text="A study that you read, by its slug."
    )
    role = choice(Role.values, required=False, allow_null=True, default=None, help_text="In that study.")


class GivenRead(Output):
    study = serializers.CharField(help_text="Its slug.")
    study_name = serializers.CharField()
    number = serializers.IntegerField(help_text="In the study.")
    title = serializers.CharField()
    description = serializers.CharField()
    authors = serializers.ListField(child=serializers.CharField())
    licence = serializers.CharField()
    digest = serializers.CharField(help_text="SHA-256 of its manifest.")
    size = serializers.IntegerField(help_text="Bytes.")
    frozen_at = serializers.DateTimeField(allow_null=True)
    embargo_until = serializers.DateField(allow_null=True)
    withdrawn_at = serializers.DateTimeField(allow_null=True)
    withdrawn_because = serializers.CharField()
    file = serializers.CharField(allow_null=True, help_text="Address of the whole as a ZIP file, while it can be had.")


class Rights(ApiView):
    scopes = {"GET": Scope.ADMIN, "POST": Scope.ADMIN}

    @extend_schema(responses=listed("Right", RightRead), parameters=LISTING, operation_id="release_rights_list")
    def get(self, request: Request, slug: str, number: int) -> Any:
        """The people and teams who were let download a release. For the study's admins."""
        rows = _administered(request, slug, number).rights.select_related("team")
        return page(request, rows, _told, fields=names_of(RightRead), newest_first=True)

    @extend_schema(request=NewRight, responses={201: RightRead}, operation_id="release_rights_create")
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Let a person or a team download it, who need not be in the study. For the study's admins."""
        release, new = _administered(request, slug, number), sent(NewRight, request)
        team = teams_of(user_of(request)).filter(slug=new["team"]).first() if new["team"] else None
        if new["team"] and team is None:
            raise InvalidInputError("releases.no_team", team=new["team"])
        right = give_right(
            release=release,
            email=new["email"],
            team=team,
            role=Role(new["role"]) if new["role"] else None,
            created_by=membership(request.user, release.study, Role.ADMIN),
            actor=actor_of(request),
        )
        return Response(_told(right), status=201)


class RevokeRight(ApiView):
    scopes = {"POST": Scope.ADMIN}

    @extend_schema(request=None, responses=RightRead, operation_id="release_right_revoke")
    def post(self, request: Request, slug: str, number: int, pk: int) -> Response:
        """Take the right away. For the study's admins."""
        right = right_to(_administered(request, slug, number), pk)
        revoke_right(right=right, actor=actor_of(request))
        right.refresh_from_db(fields=["revoked_at"])
        return Response(_told(right))


class GivenReleases(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(responses=listed("Given", GivenRead), parameters=LISTING, operation_id="given_releases_list")
    def get(self, request: Request) -> Any:
        """The releases that you may download without being in their study, the newest first."""
        rows = releases_given_to(user_of(request))
        return page(request, rows, lambda row: _told_given(request, row), fields=names_of(GivenRead), newest_first=True)


def _administered(request: Request, slug: str, number: int) -> Release:
    return reading.one(study_for_admin(request.user, slug), number)


def _told(right: DownloadRight) -> dict[str, Any]:
    return {
        "id": right.pk,
        "email": right.email or None,
        "team": right.team.slug if right.team else None,
        "role": right.role or None,
        "downloads": right.downloads,
        "created_at": right.created_at,
        "revoked_at": right.revoked_at,
    }


def _told_given(request: Request, release: Release) -> dict[str, Any]:
    own = {"study", "study_name", "authors", "file"}
    file = request.build_absolute_uri(reverse("api_release_file", args=[release.study.slug, release.number]))
    return {name: getattr(release, name) for name in names_of(GivenRead) if name not in own} | {
        "study": release.study.slug,
        "study_name": release.study.name,
        "authors": release.authors.splitlines(),
        "file": file if release.is_frozen and not release.is_embargoed else None,
    }
