"""The start page: one's tasks, one's studies with what needs attention, or how to sign in."""

from dataclasses import dataclass

from django.conf import settings
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation_platform.accounts.models import User
from annotation_platform.accounts.views import DEMO_DOMAIN, DEMO_ROLES
from annotation_platform.analysis.frame.standing import Standing, scoring_of, standing_of
from annotation_platform.analysis.snapshots.stored import latest_snapshot
from annotation_platform.releases.freeze.rights import releases_given_to
from annotation_platform.studies.models import Member, Role, Study
from annotation_platform.workspace.attention import Attention, attention_of, spent_in_words

STUDIES_PER_PAGE = 12


@dataclass(frozen=True)
class StudyCard:
    """A study in the list of its researcher."""

    member: Member
    standing: Standing
    attention: list[Attention]
    spent: str

    @property
    def rounds(self) -> list[Study]:
        """Its rounds of qualification, which are studies as well."""
        return list(self.member.study.round_studies.all())

    @property
    def percent(self) -> int:
        return 100 * self.standing.submitted // self.standing.places if self.standing.places else 0


def study_card(member: Member) -> StudyCard:
    study = member.study
    attention = attention_of(study, scoring_of(study), latest_snapshot(study), is_admin=member.role == Role.ADMIN)
    return StudyCard(member, standing_of(study), attention, spent_in_words(study))


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Where to go from here."""
    user = request.user
    mine: list[Member] = []
    if isinstance(user, User):  # of a study that is still arriving nobody knows yet
        arrived = user.memberships.filter(study__in=Study.objects.filter(qualifies_for=None))
        mine = list(arrived.select_related("study").prefetch_related("study__round_studies").order_by("study__name"))
    read = [member for member in mine if member.role != Role.ANNOTATOR]
    page = Paginator([member for member in read if member.study.archived_at is None], STUDIES_PER_PAGE).get_page(
        request.GET.get("page")
    )
    is_demo_person = not isinstance(user, User) or user.email.endswith(f"@{DEMO_DOMAIN}")
    demo_roles = [(role, Role(role).label, what) for role, what in DEMO_ROLES.items()]
    context = {
        "has_releases": isinstance(user, User) and releases_given_to(user).exists(),
        "annotates": [member for member in mine if member not in read and member.study.archived_at is None],
        "page": page,
        "cards": [study_card(member) for member in page],
        "archived": [member for member in read if member.study.archived_at],
        "demo_roles": demo_roles if settings.DEMO and is_demo_person else [],
    }
    return render(request, "workspace/home.html", context)
