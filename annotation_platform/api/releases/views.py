"""Releases: the list, asking for one, settling what was found, files, links, withdrawing, and what changed."""

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.frame.access import user_of
from annotation_platform.api.frame.pages import page
from annotation_platform.api.frame.schema import LISTING, RANGES, files_of, listed
from annotation_platform.api.frame.views import ApiView, actor_of, sent
from annotation_platform.api.jobs.serializers import JobRead, accepted
from annotation_platform.api.releases.serializers import (
    LINK_FIELDS,
    RELEASE_FIELDS,
    ChangesRead,
    LinkRead,
    NewLink,
    NewRelease,
    ReleaseRead,
    ReleaseWithParts,
    Verdicts,
    Why,
    told,
    told_changes,
    told_link,
    told_with_parts,
)
from annotation_platform.core.errors import InvalidInputError, NotThereError
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.releases.freeze import reading, services
from annotation_platform.releases.freeze.changes import changes_in
from annotation_platform.releases.freeze.comparing.jobs import compared_with, request_comparison
from annotation_platform.releases.freeze.rights import downloadable
from annotation_platform.releases.models import Finding, Release
from annotation_platform.studies.models import Role
from annotation_platform.studies.selectors import membership, study_for_admin, study_for_reader
from workers.tasks import enqueue

BINARY = OpenApiTypes.BINARY
WITH = OpenApiParameter("with", int, description="Number of another release; otherwise the one before.")


class Releases(ApiView):
    scopes = {"GET": Scope.READ, "POST": Scope.ADMIN}

    @extend_schema(responses=listed("Release", ReleaseRead), parameters=LISTING, operation_id="releases_list")
    def get(self, request: Request, slug: str) -> Any:
        """The releases of a study, the newest first."""
        rows = study_for_reader(request.user, slug).releases.select_related("study", "packing")
        return page(request, rows, lambda row: told(request, row), fields=RELEASE_FIELDS, newest_first=True)

    @extend_schema(request=NewRelease, responses={202: JobRead}, operation_id="releases_create")
    def post(self, request: Request, slug: str) -> Response:
        """Have the study looked through, and frozen once what was found is settled. For its admins."""
        study, new = study_for_admin(request.user, slug), sent(NewRelease, request)
        admin = membership(request.user, study, Role.ADMIN)
        release = services.request_release(study=study, requested_by=admin, actor=actor_of(request), **new)
        enqueue(release)
        return accepted(request, release)


class OneRelease(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(responses=ReleaseWithParts, operation_id="release_read")
    def get(self, request: Request, slug: str, number: int) -> Response:
        """A release: while it is a draft what was found, once it is frozen its files."""
        return Response(told_with_parts(request, _readable(request, slug, number)))


class SettleRelease(ApiView):
    scopes = {"POST": Scope.ADMIN}

    @extend_schema(request=Verdicts, responses=ReleaseWithParts, operation_id="release_settle")
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Say of findings whether they stay or are removed; when none is open, it is frozen. For the study's admins."""
        release = _administered(request, slug, number)
        said = {each["id"]: Finding.Verdict(each["verdict"]) for each in sent(Verdicts, request)["verdicts"]}
        if services.settle_findings(release=release, verdicts=said, actor=actor_of(request)):
            enqueue(release)
        return Response(told_with_parts(request, _readable(request, slug, number)))


class GiveUpRelease(ApiView):
    scopes = {"POST": Scope.ADMIN}

    @extend_schema(request=None, responses={204: None}, operation_id="release_give_up")
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Let go of a release that is a draft or has failed. For the study's admins."""
        release = _administered(request, slug, number)
        if release.status not in (JobStatus.DRAFT, JobStatus.FAILED):
            raise InvalidInputError("api.nothing_to_give_up", number=number)
        services.give_up_release(release=release, actor=actor_of(request))
        return Response(status=204)


class WithdrawRelease(ApiView):
    scopes = {"POST": Scope.ADMIN}

    @extend_schema(request=Why, responses=ReleaseWithParts, operation_id="release_withdraw")
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Let nobody download it any more; its number, checksum and the reason stay. For the study's admins."""
        release, because = _administered(request, slug, number), sent(Why, request)["because"]
        services.withdraw_release(release=release, because=because, actor=actor_of(request))
        return Response(told_with_parts(request, _readable(request, slug, number)))


class ReleaseChanges(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(responses={200: ChangesRead, 202: JobRead}, parameters=[WITH], operation_id="release_changes")
    def get(self, request: Request, slug: str, number: int) -> Response:
        """What it has that another release has not, and how each figure moved.

        202 while they are being compared, which is done once: ask again when the job is done.
        """
        release = reading.there(_readable(request, slug, number))
        if (other := compared_with(release, request.query_params.get("with"))) is None:
            raise NotThereError("api.no_release_before", number=number)
        comparison = request_comparison(reading.there(other), release)
        if (found := changes_in(comparison)) is not None:
            return Response(told_changes(comparison, found))
        enqueue(comparison)
        return accepted(request, comparison)


class ReleaseFile(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(responses=files_of("application/zip"), parameters=RANGES, operation_id="release_file")
    def get(self, request: Request, slug: str, number: int) -> Any:
        """The whole of a frozen release as a ZIP file, made while it is sent; the history says who took it.

        For the study's researchers and admins, and for whoever was given the right.
        """
        return reading.sent(request, *downloadable(user_of(request), slug, number), actor=actor_of(request))


class ReleasePart(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(responses=files_of("application/octet-stream"), parameters=RANGES, operation_id="release_part")
    def get(self, request: Request, slug: str, number: int, path: str) -> Any:
        """One file of a frozen release, for the same."""
        release, right = downloadable(user_of(request), slug, number)
        return reading.sent_part(request, release, path, right, actor=actor_of(request))


class Links(ApiView):
    scopes = {"GET": Scope.ADMIN, "POST": Scope.ADMIN}

    @extend_schema(responses=listed("Link", LinkRead), parameters=LISTING, operation_id="release_links_list")
    def get(self, request: Request, slug: str, number: int) -> Any:
        """The links by which others download a release. For the study's admins."""
        rows = _administered(request, slug, number).links.all()
        return page(request, rows, lambda row: told_link(request, row), fields=LINK_FIELDS, newest_first=True)

    @extend_schema(request=NewLink, responses={201: LinkRead}, operation_id="release_links_create")
    def post(self, request: Request, slug: str, number: int) -> Response:
        """A link that lets anybody who has it download the release, for so many days. For the study's admins."""
        release, new = _administered(request, slug, number), sent(NewLink, request)
        admin = membership(request.user, release.study, Role.ADMIN)
        link = services.make_link(release=release, created_by=admin, actor=actor_of(request), **new)
        return Response(told_link(request, link), status=201)


class RevokeLink(ApiView):
    scopes = {"POST": Scope.ADMIN}

    @extend_schema(request=None, responses=LinkRead, operation_id="release_link_revoke")
    def post(self, request: Request, slug: str, number: int, pk: int) -> Response:
        """Let nobody in by it any more. For the study's admins."""
        links = _administered(request, slug, number).links.select_related("release__study")
        if (link := links.filter(pk=pk).first()) is None:
            raise NotThereError("releases.link_over")
        services.revoke_link(link=link, actor=actor_of(request))
        link.refresh_from_db()
        return Response(told_link(request, link))


def _readable(request: Request, slug: str, number: int) -> Release:
    return reading.one(study_for_reader(request.user, slug), number)


def _administered(request: Request, slug: str, number: int) -> Release:
    return reading.one(study_for_admin(request.user, slug), number)
