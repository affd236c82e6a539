"""Who is in a study, in which role. A study always keeps an admin who is a person and can sign in."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.models import ApiToken
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import ConflictError, InvalidInputError
from annotation_platform.studies.models import AssignmentState, Invitation, Member, Role, Study
from annotation_platform.studies.parting import tell_parting
from annotation_platform.studies.services.claiming import return_assignment

MOST_WORDS = 500


class LastAdminError(ConflictError):
    """A study would be left without an admin."""


def admins_who_sign_in() -> QuerySet[Member]:
    """The admins of all studies who are people with an account to sign in to."""
    programs = ApiToken.objects.of_programs().values("user")
    return Member.objects.filter(role=Role.ADMIN, user__is_active=True).exclude(user__in=programs)


@contextmanager
def _keeping_an_admin(study: Study) -> Iterator[None]:
    """One change of the members at a time, undone when no person who can sign in is left as admin."""
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        admins = admins_who_sign_in().filter(study=study)
        had_one = admins.exists()
        yield
        if had_one and not admins.exists():
            raise LastAdminError("studies.last_admin", study=study.name)


def change_role(*, member: Member, role: Role, actor: Actor) -> None:
    """Give a member another role. Who stops annotating gives back the task under way; their judgments stay."""
    with _keeping_an_admin(member.study):
        # Their own requests wait for this row, so that nothing is taken meanwhile.
        before = Member.objects.select_for_update(no_key=True).get(pk=member.pk).role
        if role != Role.ANNOTATOR:
            give_back_all(member, actor)
        Member.objects.filter(pk=member.pk).update(role=role)
        change = {"role": (before, str(role))}
        record(actor, Verb.MEMBER_ROLE_CHANGED, member, study=member.study, change=change)
    member.refresh_from_db()


def hand_over(*, admin: Member, to: Member, actor: Actor) -> None:
    """Make another member admin and oneself researcher, in one step.

    Raises
    ------
    InvalidInputError
        When the other is not there to take it: removed, imported, or oneself.
    """
    if to.user_id is None or to.pk == admin.pk or to.study_id != admin.study_id:
        raise InvalidInputError("studies.not_a_member_with_account")
    with _keeping_an_admin(admin.study):
        change_role(member=to, role=Role.ADMIN, actor=actor)
        change_role(member=admin, role=Role.RESEARCHER, actor=actor)


def remove_member(*, member: Member, revoke_link: bool = True, actor: Actor) -> None:
    """Let somebody out of a study. Their judgments stay under the pseudonym; no link lets them in again.

    ``revoke_link`` closes the invitation that they came by, which somebody without an account could follow anew.
    """
    with _keeping_an_admin(member.study):
        _let_out(member, Verb.MEMBER_REMOVED, actor)
        if revoke_link:
            for invitation in Invitation.objects.filter(members=member):
                revoke_invitation(invitation=invitation, actor=actor)
    member.refresh_from_db()


@transaction.atomic
def leave_study(*, member: Member, actor: Actor) -> None:
    """Let an annotator out of a study as they wish: as somebody who was removed, but the link stays for others.

    Raises
    ------
    InvalidInputError
        When it is no annotator: who runs a study hands it over on its page of people.
    """
    if member.role != Role.ANNOTATOR:
        raise InvalidInputError("studies.only_annotators_leave", member=str(member))
    _let_out(member, Verb.MEMBER_LEFT, actor)
    member.refresh_from_db()


@transaction.atomic
def restore_member(*, member: Member, actor: Actor) -> None:
    """Let somebody who was removed in again, as who they were."""
    if member.former_user_id is None:
        raise InvalidInputError("studies.member_not_removed", member=str(member))
    rows = [member.pk, *member.in_rounds().values_list("pk", flat=True)]
    restored = Member.objects.filter(pk__in=rows, user=None).update(
        user=member.former_user_id, former_user=None, removed_at=None
    )
    if restored:
        record(actor, Verb.MEMBER_RESTORED, member, study=member.study)
    member.refresh_from_db()


@transaction.atomic
def pause_member(*, member: Member, because: str, actor: Actor) -> None:
    """Let an annotator take nothing new for now; they read why, and finish what they have.

    Raises
    ------
    InvalidInputError
        When it is no annotator, or there is no reason that they could read.
    """
    if member.role != Role.ANNOTATOR:
        raise InvalidInputError("studies.only_annotators_pause", member=str(member))
    if not (because := " ".join(because.split())):
        raise InvalidInputError("studies.pause_needs_reason", member=str(member))
    if len(because) > MOST_WORDS:
        raise InvalidInputError("studies.pause_reason_too_long", length=len(because), most=MOST_WORDS)
    if Member.objects.filter(pk=member.pk, paused_at=None).update(paused_at=timezone.now(), paused_because=because):
        change = {"paused_because": ("", because)}
        record(actor, Verb.MEMBER_PAUSED, member, study=member.study, change=change)
    member.refresh_from_db()


@transaction.atomic
def resume_member(*, member: Member, actor: Actor) -> None:
    """Let an annotator who was paused take tasks again."""
    resumed = Member.objects.filter(pk=member.pk, paused_at__isnull=False).update(paused_at=None, paused_because="")
    if resumed:
        record(actor, Verb.MEMBER_RESUMED, member, study=member.study)
    member.refresh_from_db()


@transaction.atomic
def revoke_invitation(*, invitation: Invitation, actor: Actor) -> None:
    """Nobody joins by it any more; who has joined stays."""
    if Invitation.objects.filter(pk=invitation.pk, revoked_at=None).update(revoked_at=timezone.now()):
        record(actor, Verb.MEMBER_INVITATION_REVOKED, invitation, study=invitation.study)


def give_back_all(member: Member, actor: Actor) -> None:
    """Give back every task that a member holds and has not submitted, in the order in which places are locked."""
    for place in member.assignments.filter(state=AssignmentState.CLAIMED).order_by("pk"):
        return_assignment(assignment=place, annotator=member, actor=actor)


def take_leave(members: Sequence[Member], actor: Actor) -> None:
    """Have members who are let out tell whoever follows that, and give back every task that they hold.

    Call it in the transaction that lets them out. Their own requests wait for their rows, so that nothing is taken
    meanwhile; the rows are locked before any place, as by whoever takes a task.
    """
    for each in members:
        each.refresh_from_db(fields=["user"], from_queryset=Member.objects.select_for_update(no_key=True))
    for each in members:
        if each.user_id is not None:
            tell_parting(each, actor)
        give_back_all(each, actor)


def _let_out(member: Member, verb: Verb, actor: Actor) -> None:
    if member.user_id is None:
        raise InvalidInputError("studies.member_without_account", member=str(member))
    # Whoever begins a round holds this row, and is in the round afterwards.
    Member.objects.select_for_update(no_key=True).get(pk=member.pk)
    going = [member, *member.in_rounds().select_related("study")]
    take_leave(going, actor)
    if member.user_id is None:  # a second click, which waited for the first
        return
    Member.objects.filter(pk__in=[each.pk for each in going]).update(
        user=None, former_user=member.user_id, removed_at=timezone.now()
    )
    record(actor, verb, member, study=member.study)
