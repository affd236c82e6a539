"""The start page, and the demo's one-click sign-in."""

from django.conf import settings
from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from annotation_platform.accounts.models import User
from annotation_platform.core.errors import NotThereError

DEMO_DOMAIN = "demo.example"
DEMO_ROLES = {
    "annotator": "Judge answers in the browser: pick a label, cite sentences, say why.",
    "researcher": "Watch the batches, close one, compare raw with rescaled agreement.",
    "admin": "All of that, and export the data.",
}


@require_GET
def home(request: HttpRequest) -> HttpResponse:
    """Where to go from here: one's tasks and studies, or how to sign in."""
    user = request.user
    memberships = user.memberships.select_related("study").order_by("study__name") if isinstance(user, User) else []
    return render(
        request, "accounts/home.html", {"memberships": memberships, "demo_roles": DEMO_ROLES if settings.DEMO else {}}
    )


@require_POST
def demo_sign_in(request: HttpRequest, role: str) -> HttpResponse:
    """Sign in as the demo's annotator, researcher or admin; only where DEMO is switched on."""
    if not settings.DEMO or role not in DEMO_ROLES:
        raise NotThereError("There is no demo sign-in here.")
    user = User.objects.filter(email=f"{role}@{DEMO_DOMAIN}").first()
    if user is None:
        raise NotThereError("The demo's people are missing. Run “make demo-reset”, then “make demo”.")
    login(request, user, backend=settings.AUTHENTICATION_BACKENDS[0])
    member = user.memberships.select_related("study").order_by("pk").first()
    if member is None:
        return redirect("home")
    return redirect("work") if member.role == "annotator" else redirect("study", slug=member.study.slug)
