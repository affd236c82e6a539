"""The researchers' page *Sources*: every provider, how it stands in the study, and who came by which."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.language import in_language
from annotation_platform.core.errors import DomainError, NotThereError
from annotation_platform.crowd.pages import enter
from annotation_platform.crowd.providers.registry import PROVIDERS, providers_of
from annotation_platform.crowd.providers.vault.identities import erase_person
from annotation_platform.studies.models import Role

PER_PAGE = 25


@login_required
@require_safe
def sources(request: HttpRequest, slug: str) -> HttpResponse:
    study, context = enter(request, slug, "sources")
    annotators = study.members.filter(role=Role.ANNOTATOR).select_related("user", "invitation").order_by("-pk")
    shown = Paginator(annotators, PER_PAGE).get_page(request.GET.get("page"))
    context |= {
        "providers": [(provider, provider.standing(study)) for provider in PROVIDERS],
        "annotators": shown,
        "people": list(zip(shown, providers_of(list(shown)), strict=True)),
    }
    return render(request, "crowd/providers/sources.html", context)


@login_required
@require_POST
def erase(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Forget who somebody is, for admins who typed the pseudonym."""
    study, context = enter(request, slug, "sources")
    member = study.members.filter(pk=pk, role=Role.ANNOTATOR).select_related("study").first()
    if member is None or not context["is_admin"]:
        raise NotThereError("studies.no_member")
    if request.POST.get("typed", "").strip() != member.pseudonym:
        messages.error(request, _("Type %(name)s to erase who that is. Nothing was erased.") % {"name": member})
        return redirect("sources", slug=slug)
    try:
        erase_person(member=member, actor=Actor.of_request(request))
    except DomainError as refused:
        messages.error(request, in_language(refused))
    else:
        words = _("Who %(name)s is, is forgotten. The judgments stay under the pseudonym.") % {"name": member}
        messages.success(request, words)
    return redirect("sources", slug=slug)
