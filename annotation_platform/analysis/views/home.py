"""The start page: one's tasks, one's studies with what needs attention, or how to sign in."""

from django.conf import settings
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from annotation_platform.accounts.models import User
from annotation_platform.accounts.views import DEMO_DOMAIN, DEMO_ROLES
from annotation_platform.analysis.selectors.attention import study_card
from annotation_platform.studies.models import Role

STUDIES_PER_PAGE = 12


@require_GET
def home(request: HttpRequest) -> HttpResponse:
    """Where to go from here."""
    user = request.user
    mine = list(user.memberships.select_related("study").order_by("study__name")) if isinstance(user, User) else []
    read = [member for member in mine if member.role != Role.ANNOTATOR]
    page = Paginator([member for member in read if member.study.archived_at is None], STUDIES_PER_PAGE).get_page(
        request.GET.get("page")
    )
    is_demo_person = not isinstance(user, User) or user.email.endswith(f"@{DEMO_DOMAIN}")
    demo_roles = [(role, Role(role).label, what) for role, what in DEMO_ROLES.items()]
    context = {
        "annotates": [member for member in mine if member not in read and member.study.archived_at is None],
        "page": page,
        "cards": [study_card(member) for member in page],
        "archived": [member for member in read if member.study.archived_at],
        "demo_roles": demo_roles if settings.DEMO and is_demo_person else [],
    }
    return render(request, "accounts/home.html", context)
