"""What a person's own data says of releases: which of them they may download, or might."""

from django.db.models import Exists, OuterRef, Q

from annotation_platform.accounts.models import User
from annotation_platform.crowd.home.own_rows import CHUNK, Rows, memberships
from annotation_platform.releases.models import DownloadRight


def download_rights(user: User) -> Rows:
    """The rights that name them, and those of the teams that they are or were in; by whom they are not told."""
    team = memberships(user).filter(study=OuterRef("team"), role=OuterRef("role"))
    named = DownloadRight.objects.naming(user).values("pk")
    rights = DownloadRight.objects.filter(Q(pk__in=named) | Exists(team)).select_related("release__study", "team")
    for each in rights.order_by("pk").iterator(CHUNK):
        yield {
            "study": each.release.study.slug,
            "release": each.release.number,
            "title": each.release.title,
            "by_address": each.email or None,
            "by_role": each.role or None,
            "in_study": each.team.slug if each.team else None,
            "given_at": each.created_at,
            "revoked_at": each.revoked_at,
            "withdrawn_at": each.release.withdrawn_at,
        }
