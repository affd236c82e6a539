"""The researcher decides: one attempt item by item, or people who are picked by hand."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.annotations.forms.texts import interface_language
from annotation_platform.core.errors import InvalidInputError, NotThereError
from annotation_platform.core.text import typed_number
from annotation_platform.crowd.pages import enter
from annotation_platform.crowd.rounds import services
from annotation_platform.crowd.rounds.comparison import compared_items
from annotation_platform.crowd.rounds.models import Verdict
from annotation_platform.crowd.rounds.results import RuleNow
from annotation_platform.crowd.rounds.selectors import attempt_in, round_in, waiting_for_review
from annotation_platform.studies.models import Member, Role

NOTE = "note-"  # before an item's key in the form


@login_required
@require_http_methods(["GET", "POST"])
def review(request: PageRequest, slug: str, pk: int) -> HttpResponse:
    """An attempt beside the accepted answers, with notes for its annotator; decided, it leads to the next one."""
    study, context = enter(request, slug, "rounds")
    tried = attempt_in(study, pk)
    round_ = tried.round
    error = ""
    notes = {item: request.POST[name] for name in request.POST if (item := _item_named(name)) is not None}
    if request.method == "POST":
        try:
            services.decide(
                attempt=tried,
                verdict=_verdict(request),
                note=request.POST.get("note", ""),
                item_notes=notes,
                by=context["member"],
                actor=Actor.of_request(request),
            )
        except InvalidInputError as refused:
            error = in_language(refused)
        else:
            said = _("Decided for %(member)s, who reads it under “My qualifications”.")
            messages.success(request, said % {"member": tried.member})
            following = waiting_for_review(round_).order_by("finished_at").first()
            if following is not None:
                return redirect("review_attempt", slug=slug, pk=following.pk)
            return redirect("round", slug=slug, pk=round_.pk)
    items = compared_items(tried, interface_language())
    context |= {
        "round": round_,
        "attempt": tried,
        "result": RuleNow(round_).result_of(tried),
        "items": [(each, notes.get(each.item.item.pk, each.note)) for each in items],
        "note": request.POST.get("note", tried.note),
        "chosen": request.POST.get("verdict", ""),
        "error": error,
    }
    return render(request, "crowd/rounds/review.html", context, status=422 if error else 200)


@login_required
@require_POST
def by_hand(request: PageRequest, slug: str, pk: int) -> HttpResponse:
    """Pass named annotators, or bar them, whatever they tried."""
    study, context = enter(request, slug, "rounds")
    round_ = round_in(study, pk)
    chosen = {key for each in request.POST.getlist("members") if (key := typed_number(each)) is not None}
    members = Member.objects.filter(study=study, role=Role.ANNOTATOR, pk__in=chosen).select_related("study")
    if len(members) != len(chosen):
        raise NotThereError("studies.no_member")
    try:
        for member in members:
            services.decide_without_attempt(
                round_=round_,
                member=member,
                verdict=_verdict(request),
                note=request.POST.get("note", ""),
                by=context["member"],
                actor=Actor.of_request(request),
            )
    except InvalidInputError as error:
        messages.error(request, in_language(error))
    else:
        count = len(members)
        given = ngettext("Decided for %(count)s annotator.", "Decided for %(count)s annotators.", count)
        said = given % {"count": count} if count else _("Nobody was chosen.")
        messages.add_message(request, messages.SUCCESS if count else messages.ERROR, said)
    return redirect("round", slug=slug, pk=pk)


def _item_named(name: str) -> int | None:
    return typed_number(name.removeprefix(NOTE)) if name.startswith(NOTE) else None


def _verdict(request: PageRequest) -> Verdict:
    chosen = request.POST.get("verdict", "")
    return Verdict(chosen) if chosen in Verdict.values else Verdict.PENDING
