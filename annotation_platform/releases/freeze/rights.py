"""Who may download a release without being a member of its study: people by their address, and teams."""

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.models import User
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import InvalidInputError, NotThereError
from annotation_platform.releases.freeze.reading import one, there
from annotation_platform.releases.freeze.services import check_embargo
from annotation_platform.releases.models import DownloadRight, Release
from annotation_platform.studies.models import Member, Role, Study
from annotation_platform.studies.selectors import study_for_reader


def teams_of(user: User) -> QuerySet[Study]:
    """The studies whose members a person may name: those that they read."""
    return Study.objects.visible_to(user).filter(qualifies_for=None)


@transaction.atomic
def give_right(
    *,
    release: Release,
    email: str = "",
    team: Study | None = None,
    role: Role | None = None,
    created_by: Member,
    actor: Actor,
) -> DownloadRight:
    """Let a person (``email``), or all who have a role in a study (``team``), download it; again: what there is.

    Whether anybody has an account with the address is not told.

    Raises
    ------
    InvalidInputError
        When it names neither or both, or the release is not frozen.
    """
    if bool(email) == (team is not None) or (team is None) != (role is None):
        raise InvalidInputError("releases.person_or_team")
    Release.objects.select_for_update(no_key=True).get(pk=release.pk)
    if not release.is_frozen:
        raise InvalidInputError("releases.not_frozen")
    named = {"release": release, "email": email.lower(), "team": team, "role": role or "", "revoked_at": None}
    right, is_new = DownloadRight.objects.get_or_create(**named, defaults={"created_by": created_by})
    if is_new:
        record(actor, Verb.RELEASE_RIGHT_GIVEN, release, study=release.study, change={"right": (None, right.pk)})
    return right


def right_to(release: Release, pk: int) -> DownloadRight:
    """
    Raises
    ------
    NotThereError
        When the release has none of this key.
    """
    right = release.rights.filter(pk=pk).select_related("release__study", "team").first()
    if right is None:
        raise NotThereError("releases.no_right")
    return right


@transaction.atomic
def revoke_right(*, right: DownloadRight, actor: Actor) -> None:
    if DownloadRight.objects.filter(pk=right.pk, revoked_at=None).update(revoked_at=timezone.now()):
        release = right.release
        record(actor, Verb.RELEASE_RIGHT_REVOKED, release, study=release.study, change={"right": (right.pk, None)})


def releases_given_to(user: User) -> QuerySet[Release]:
    """What a person may download by a right, or could before it was withdrawn."""
    held = DownloadRight.objects.held_by(user).values("release")
    return Release.objects.filter(pk__in=held).select_related("study")


def downloadable(user: User, slug: str, number: int) -> tuple[Release, DownloadRight | None]:
    """A release whose files this person may have: as a reader of its study, or else by a right.

    Raises
    ------
    NotThereError
        For everybody else, as if it did not exist; also when it was withdrawn, or, by a right, is under embargo.
    """
    rights = DownloadRight.objects.held_by(user).filter(release__study__slug=slug, release__number=number)
    if Study.objects.visible_to(user).filter(slug=slug).exists() or not (right := rights.order_by("pk").first()):
        return there(one(study_for_reader(user, slug), number)), None
    release = there(one(right.release.study, number))
    check_embargo(release)
    return release, right
