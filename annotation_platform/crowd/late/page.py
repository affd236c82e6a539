"""Crowd → Late work: what came when the time had run out, to be accepted into a free place or declined."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.annotations.forms.texts import interface_language
from annotation_platform.annotations.late import decline_late_work
from annotation_platform.annotations.models import LateJudgment
from annotation_platform.core.errors import DomainError, NotThereError
from annotation_platform.crowd.late.selectors import decided, late_work, late_work_in
from annotation_platform.crowd.late.services import accept
from annotation_platform.crowd.late.words import in_words
from annotation_platform.crowd.pages import enter
from annotation_platform.studies.models import Item
from workers.tasks import sweep

DECIDED_SHOWN = 20


@login_required
@require_safe
def late(request: PageRequest, slug: str) -> HttpResponse:
    return _page(request, slug)


@login_required
@require_POST
def decide(request: PageRequest, slug: str, hit: int, annotator: int) -> HttpResponse:
    """Accept somebody's late work in a HIT, or decline it with a reason."""
    study, _ = enter(request, slug, "crowd_late")
    found, member = late_work_in(study, hit, annotator)
    actor = Actor.of_request(request)
    try:
        if "accept" in request.POST:
            if accept(hit=found, annotator=member, actor=actor):
                sweep.delay_on_commit()
            messages.success(request, gettext("Accepted: the work of %(member)s counts.") % {"member": member})
        else:
            because = request.POST.get("because", "")
            decline_late_work(hit=found, annotator=member, because=because, actor=actor)
            messages.success(request, gettext("Declined. %(member)s reads why.") % {"member": member})
    except DomainError as error:
        refused = {(hit, annotator): in_language(error)}
        return _page(request, slug, refused=refused, typed=request.POST.get("because", ""), status=422)
    return redirect("crowd_late", slug=slug)


@login_required
@require_safe
def late_judgments(request: PageRequest, slug: str, hit: int, annotator: int) -> HttpResponse:
    """What somebody judged too late in a HIT, question by question."""
    study, context = enter(request, slug, "crowd_late")
    rows = LateJudgment.objects.filter(item__study=study, item__hit=hit, annotator=annotator)
    rows = rows.exclude(state=LateJudgment.State.REPLACED)
    judgments = list(rows.select_related("item__question", "annotator", "scheme_version"))
    if not judgments:
        raise NotThereError("crowd.no_late_work")
    items, shown = Item.every.filter(hit=hit), in_words(judgments, interface_language())
    context |= {"judgments": shown, "items": items.count(), "annotator": judgments[0].annotator}
    return render(request, "crowd/late/judgments.html", context)


def _page(
    request: PageRequest,
    slug: str,
    *,
    refused: dict[tuple[int, int], str] | None = None,
    typed: str = "",
    status: int = 200,
) -> HttpResponse:
    study, context = enter(request, slug, "crowd_late")
    refusals = refused or {}
    works = [(each, refusals.get((each.hit.pk, each.annotator.pk), "")) for each in late_work(study)]
    said = "" if any(why for _, why in works) else " ".join(refusals.values())
    context |= {"works": works, "said": said, "typed": typed, "decided": decided(study)[:DECIDED_SHOWN]}
    return render(request, "crowd/late/late.html", context, status=status)
