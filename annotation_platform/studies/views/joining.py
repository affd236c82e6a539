"""Joining a study: what it is, one step, and straight into the first task."""

from allauth.core import ratelimit
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.models import User
from annotation_platform.accounts.personal_links import link_token
from annotation_platform.core.errors import ConflictError
from annotation_platform.core.schemes.languages import LANGUAGES
from annotation_platform.studies.eligibility import NotEligibleError
from annotation_platform.studies.forms import JoinForm
from annotation_platform.studies.invitations import (
    accept_invitation,
    check_signs_in,
    enter_by_mail,
    join_as_guest,
    mail_token,
    mail_way_in,
    read_invitation,
    read_mailed,
)
from annotation_platform.studies.models import Invitation, Member, Role
from annotation_platform.studies.selectors import task_time
from annotation_platform.studies.services import NothingToClaimError, claim_assignment
from annotation_platform.studies.steps import next_step


class TooManyJoinError(ConflictError):
    """So many joined from one address in a minute that it looks like a program."""


@require_http_methods(["GET", "POST"])
def join(request: HttpRequest, token: str) -> HttpResponse:
    """Show what the invitation is to; on a click of somebody known, or a name or address of somebody new, join."""
    invitation = read_invitation(token=token)
    if request.method == "GET":
        return _page(request, invitation, form=JoinForm(label_suffix=""))
    if isinstance(request.user, User):
        return _begin(
            request, accept_invitation(invitation=invitation, user=request.user, actor=Actor.of_request(request))
        )
    if invitation.role != Role.ANNOTATOR:
        return redirect(f"{reverse(settings.LOGIN_URL)}?next={request.path}")
    form = JoinForm(request.POST, label_suffix="")
    if not form.is_valid():
        return _page(request, invitation, form=form, status=422)
    _limit(request)
    if form.email:
        link = request.build_absolute_uri(reverse("join_by_mail", args=[mail_token(invitation, form.email)]))
        mail_way_in(invitation=invitation, email=form.email, link=link)
        return _page(request, invitation, sent_to=form.email)
    member = join_as_guest(invitation=invitation, name=form.cleaned_data["who"], actor=Actor.of_request(request))
    assert member.user is not None
    _sign_in(request, member.user)
    _show_personal_link(request, member.user)
    return _begin(request, member)


@require_http_methods(["GET", "POST"])
def join_by_mail(request: HttpRequest, token: str) -> HttpResponse:
    """The link that was mailed: on a click its reader joins, and is signed in unless they are."""
    mailed = read_mailed(token=token)
    if isinstance(request.user, User) and request.user.email == mailed.email:
        return _join_signed_in(request, mailed.invitation, request.user)
    check_signs_in(mailed)
    if request.method == "GET":
        return _page(request, mailed.invitation, mailed_to=mailed.email)
    member = enter_by_mail(mailed=mailed, actor=Actor.of_request(request))
    assert member.user is not None
    _sign_in(request, member.user)
    return _begin(request, member)


def _join_signed_in(request: HttpRequest, invitation: Invitation, user: User) -> HttpResponse:
    member = invitation.study.members.filter(user=user).first()
    if member is None and request.method == "GET":
        return _page(request, invitation)
    return _begin(
        request, member or accept_invitation(invitation=invitation, user=user, actor=Actor.of_request(request))
    )


def _page(
    request: HttpRequest, invitation: Invitation, *, mailed_to: str = "", status: int = 200, **extra: object
) -> HttpResponse:
    study = invitation.study
    language = (get_language() or "en").split("-")[0]
    own = study.members.filter(user=request.user).first() if isinstance(request.user, User) else None
    context = {
        "invitation": invitation,
        "study": study,
        "scheme": study.scheme(language if language in LANGUAGES else "en"),
        "time": task_time(study),
        "is_annotator": invitation.role == Role.ANNOTATOR,
        "who": mailed_to or (request.user.shown_name if isinstance(request.user, User) else ""),
        "own": own,  # whose role no invitation changes
        **extra,
    }
    return render(request, "studies/join.html", context, status=status)


def _begin(request: HttpRequest, member: Member) -> HttpResponse:
    """Straight to the work: what comes before the first task, that task with its instructions, or the study."""
    if member.role != Role.ANNOTATOR:
        return redirect("study", slug=member.study.slug)
    if member.assignments.exists():
        return redirect("work")
    if step := next_step(member):
        return redirect(step)
    try:
        return redirect("instructions", pk=claim_assignment(annotator=member, actor=Actor.of_request(request)).pk)
    except (NothingToClaimError, NotEligibleError):  # that page says which, and what to do
        return redirect("work")


def _sign_in(request: HttpRequest, user: User) -> None:
    login(request, user, backend=settings.AUTHENTICATION_BACKENDS[0])


def _limit(request: HttpRequest) -> None:
    """
    Raises
    ------
    TooManyJoinError
        When as many have joined from this address as may sign up from it in a minute.
    """
    if not ratelimit.consume(request, action="signup"):
        raise TooManyJoinError("studies.too_many_join")


def _show_personal_link(request: HttpRequest, user: User) -> None:
    address = request.build_absolute_uri(reverse("come_back", args=[link_token(user, actor=Actor.of_request(request))]))
    words = _("There is no password. This link is your way back, on any device; keep it to yourself:")
    button = format_html(
        '<button type="button" class="needs-script" data-copies="personal-link" data-copied="{}">{}</button>',
        _("Copied"),
        _("Copy"),
    )
    messages.info(request, format_html('{} <code id="personal-link">{}</code> {}', words, address, button))
