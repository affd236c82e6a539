"""The demo's one-click sign-in, personal links, and the language of the pages."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login, logout
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.deleting import delete_own_account
from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.models import User
from annotation_platform.accounts.personal_links import link_token, may_have_link, user_of_link
from annotation_platform.accounts.roles import Role
from annotation_platform.core.errors import DomainError, InvalidInputError, NotThereError

DEMO_DOMAIN = "demo.example"
DEMO_ROLES = {
    Role.ANNOTATOR.value: gettext_lazy("Judge answers in the browser: pick a label, cite sentences, say why."),
    Role.RESEARCHER.value: gettext_lazy("Watch the batches, close one, compare raw with rescaled agreement."),
    Role.ADMIN.value: gettext_lazy("All of that, and export the data."),
}


@require_POST
def demo_sign_in(request: HttpRequest, role: str) -> HttpResponse:
    """Sign in as the demo's annotator, researcher or admin; only where DEMO is switched on."""
    if not settings.DEMO or role not in DEMO_ROLES:
        raise NotThereError("accounts.no_demo_sign_in")
    user = User.objects.filter(email=f"{role}@{DEMO_DOMAIN}").first()
    if user is None:
        raise NotThereError("accounts.no_demo_people")
    login(request, user, backend=settings.AUTHENTICATION_BACKENDS[0])
    member = user.memberships.select_related("study").order_by("pk").first()
    if member is None:
        return redirect("home")
    return redirect("work") if member.role == Role.ANNOTATOR else redirect("study", slug=member.study.slug)


@require_http_methods(["GET", "POST"])
def come_back(request: HttpRequest, token: str) -> HttpResponse:
    """A personal link: one click signs in. A look at it does not, since mail programs look at links too."""
    user = user_of_link(token)
    if request.method == "GET":
        return render(request, "accounts/come_back.html", {"person": user})
    login(request, user, backend=settings.AUTHENTICATION_BACKENDS[0])
    return redirect("work" if user.memberships.filter(role=Role.ANNOTATOR).exists() else "home")


@login_required
@require_http_methods(["GET", "POST"])
def personal_link(request: HttpRequest) -> HttpResponse:
    """The personal link of somebody without a password; on POST a new one, which makes the old one void."""
    user = request.user
    assert isinstance(user, User)  # login_required
    if not may_have_link(user):
        raise NotThereError("accounts.no_link_needed")
    link = request.build_absolute_uri(
        reverse("come_back", args=[link_token(user, renew=request.method == "POST", actor=Actor.of_request(request))])
    )
    return render(request, "accounts/personal_link.html", {"link": link, "is_new": request.method == "POST"})


@login_required
@require_http_methods(["GET", "POST"])
def my_account(request: HttpRequest) -> HttpResponse:
    """How one signs in, and deleting the account: only when its own name was typed."""
    user = request.user
    assert isinstance(user, User)  # login_required
    context = {"error": "", "has_password": user.has_usable_password(), "may_have_link": may_have_link(user)}
    if request.method == "POST":
        try:
            delete_own_account(
                user=user, typed_name=request.POST.get("typed_name", ""), actor=Actor.of_request(request)
            )
        except DomainError as refused:
            context["error"] = in_language(refused)
        else:
            logout(request)
            messages.success(request, _("Your account is deleted."))
            return redirect(settings.LOGIN_URL)
    return render(request, "accounts/my_account.html", context, status=422 if context["error"] else 200)


@require_POST
def set_language(request: HttpRequest) -> HttpResponse:
    """Keep the language that the pages are read in: with the person, and in this browser, where nobody is signed in."""
    language, back = request.POST.get("language", ""), request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(
        back, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    response = HttpResponseRedirect(back if is_ours else reverse("home"))
    if language not in dict(settings.LANGUAGES):
        raise InvalidInputError("accounts.no_such_language")
    if isinstance(request.user, User):
        User.objects.filter(pk=request.user.pk).update(language=language)
    response.set_cookie(
        settings.LANGUAGE_COOKIE_NAME,
        language,
        max_age=settings.LANGUAGE_COOKIE_AGE,
        samesite="Lax",
        secure=settings.SESSION_COOKIE_SECURE,
    )
    return response
