"""The people of a study: members, invitations, and what invited people read."""

from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Page, Paginator
from django.db.models import Case, When
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.language import in_language
from annotation_platform.core.errors import DomainError, InvalidInputError, NotThereError
from annotation_platform.studies import services
from annotation_platform.studies.invitations import (
    create_invitation,
    mail_invitation,
    mail_token,
    token_of,
)
from annotation_platform.studies.models import Invitation, Member, Role, Study
from annotation_platform.studies.selectors import membership, study_for_admin, study_for_reader, task_time
from annotation_platform.workspace.people.forms import InviteForm, WelcomeForm

CLOSED_SHOWN, MEMBERS_PER_PAGE = 20, 50


@login_required
@require_safe
def people(request: HttpRequest, slug: str) -> HttpResponse:
    return _page(request, study_for_reader(request.user, slug))


@login_required
@require_POST
def invite(request: HttpRequest, slug: str) -> HttpResponse:
    """Make an invitation, and send it when an address is given."""
    study = study_for_reader(request.user, slug)
    form = InviteForm(request.POST, roles=_roles_to_give(request, study), label_suffix="")
    if not form.is_valid():
        return _page(request, study, invite_form=form, status=422)
    data = form.cleaned_data
    try:
        invitation = create_invitation(
            study=study,
            role=Role(data["role"]),
            max_uses=1 if data["email"] else data["max_uses"],
            valid_for=form.valid_for,
            note=data["note"] or data["email"],
            actor=Actor.of_request(request),
        )
    except InvalidInputError as error:
        form.add_error("role", in_language(error))
        return _page(request, study, invite_form=form, status=422)
    if data["email"]:
        mail_invitation(
            invitation=invitation,
            email=data["email"],
            link=_mailed_link(request, invitation, data["email"], form.valid_for),
            actor=Actor.of_request(request),
        )
        messages.success(request, _("The invitation is on its way to %(email)s.") % {"email": data["email"]})
    else:
        messages.success(request, _("The link is there. Copy it and hand it out."))
    return redirect(reverse("people", args=[slug]) + "#invitations")


@login_required
@require_POST
def revoke(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    study = study_for_reader(request.user, slug)
    invitation = study.invitations.filter(pk=pk, role__in=_roles_to_give(request, study)).first()
    if invitation is None:
        raise NotThereError("studies.no_invitation")
    services.revoke_invitation(invitation=invitation, actor=Actor.of_request(request))
    messages.success(request, _("The link lets nobody in any more. Who came by it stays."))
    return redirect(reverse("people", args=[slug]) + "#invitations")


@login_required
@require_POST
def change_member(request: HttpRequest, slug: str, pk: int, action: str) -> HttpResponse:
    """Give another role, remove, let in again, or hand the administration over; admins only."""
    study = study_for_admin(request.user, slug)
    member = study.members.filter(pk=pk).select_related("study").first()
    if member is None:
        raise NotThereError("studies.no_member")
    try:
        messages.success(request, _CHANGES[action](request, member))
    except DomainError as refused:
        messages.error(request, in_language(refused))
    may_still_read = Study.objects.visible_to(request.user).filter(pk=study.pk).exists()
    return redirect("people", slug=slug) if may_still_read else redirect("home")


@login_required
@require_POST
def pause(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Let an annotator take nothing new, for the reason that they read; or, with ``resume``, take tasks again."""
    study = study_for_reader(request.user, slug)
    member = study.members.filter(pk=pk, removed_at=None).select_related("study").first()
    if member is None:
        raise NotThereError("studies.no_member")
    actor = Actor.of_request(request)
    try:
        if "resume" in request.POST:
            services.resume_member(member=member, actor=actor)
            messages.success(request, _("%(name)s can take tasks again.") % {"name": member})
        else:
            services.pause_member(member=member, because=request.POST.get("because", ""), actor=actor)
            told = _("%(name)s takes nothing new. A task under way can be finished.") % {"name": member}
            messages.success(request, told)
    except InvalidInputError as refused:
        messages.error(request, in_language(refused))
    return redirect(reverse("people", args=[slug]) + "#members")


@login_required
@require_POST
def welcome(request: HttpRequest, slug: str) -> HttpResponse:
    """Store what invited people read."""
    study = study_for_reader(request.user, slug)
    form = WelcomeForm(request.POST, instance=study, label_suffix="")
    if not form.is_valid():
        return _page(request, study_for_reader(request.user, slug), welcome_form=form, status=422)
    services.set_welcome(study=study, **form.cleaned_data, actor=Actor.of_request(request))
    messages.success(request, _("Saved. Whoever follows an invitation reads it from now on."))
    return redirect(reverse("people", args=[slug]) + "#welcome")


def _change_role(request: HttpRequest, member: Member) -> str:
    role = request.POST.get("role", "")
    if role not in Role.values:
        raise InvalidInputError("studies.no_role", role=role, roles=[*Role.values])
    services.change_role(member=member, role=Role(role), actor=Actor.of_request(request))
    return _("%(name)s is now %(role)s.") % {"name": member, "role": member.get_role_display().lower()}


def _remove(request: HttpRequest, member: Member) -> str:
    services.remove_member(member=member, revoke_link="revoke_link" in request.POST, actor=Actor.of_request(request))
    return _("%(name)s is out of the study. The judgments stay under the pseudonym.") % {"name": member}


def _restore(request: HttpRequest, member: Member) -> str:
    services.restore_member(member=member, actor=Actor.of_request(request))
    return _("%(name)s is in the study again.") % {"name": member}


def _hand_over(request: HttpRequest, member: Member) -> str:
    services.hand_over(
        admin=membership(request.user, member.study, Role.ADMIN), to=member, actor=Actor.of_request(request)
    )
    return _("%(name)s is admin now, and you are researcher.") % {"name": member}


_CHANGES = {"role": _change_role, "remove": _remove, "restore": _restore, "hand-over": _hand_over}


def _roles_to_give(request: HttpRequest, study: Study) -> list[Role]:
    """Researchers invite annotators; admins anybody."""
    is_admin = membership(request.user, study).role == Role.ADMIN
    return [Role.ANNOTATOR, Role.RESEARCHER, Role.ADMIN] if is_admin else [Role.ANNOTATOR]


def _link(request: HttpRequest, invitation: Invitation) -> str:
    return request.build_absolute_uri(reverse("join", args=[token_of(invitation)]))


def _mailed_link(request: HttpRequest, invitation: Invitation, email: str, valid_for: timedelta) -> str:
    """For an annotator the way in itself, which works once; others sign in with a password."""
    if invitation.role != Role.ANNOTATOR:
        return _link(request, invitation)
    token = mail_token(invitation, email, valid_for=valid_for)
    return request.build_absolute_uri(reverse("join_by_mail", args=[token]))


def _page(request: HttpRequest, study: Study, *, status: int = 200, **extra: Any) -> HttpResponse:
    roles = _roles_to_give(request, study)
    invitations = study.invitations.filter(role__in=roles).select_related("created_by")
    still_open = invitations.open()
    context = {
        "study": study,
        "is_admin": Role.ADMIN in roles,
        "own": membership(request.user, study),
        "members": _members(study, request.GET.get("page")),
        "removed": study.members.filter(removed_at__isnull=False).order_by("-removed_at"),
        "roles": Role.choices,
        "invitations": [(each, _link(request, each)) for each in still_open],
        "closed_invitations": invitations.exclude(pk__in=still_open)[:CLOSED_SHOWN],
        "time": task_time(study),
        "invite_form": InviteForm(roles=roles, label_suffix=""),
        "welcome_form": WelcomeForm(instance=study, label_suffix=""),
    }
    return render(request, "workspace/people.html", context | extra, status=status)


def _members(study: Study, page: str | None) -> Page[Member]:
    """A page of those who are in the study, admins and researchers first."""
    rank = Case(When(role=Role.ADMIN, then=0), When(role=Role.RESEARCHER, then=1), default=2)
    members = study.members.filter(removed_at=None).select_related("user").order_by(rank, "pseudonym")
    return Paginator(members, MEMBERS_PER_PAGE).get_page(page)
