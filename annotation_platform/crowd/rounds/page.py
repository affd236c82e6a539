"""The researcher's pages about rounds: all of them, a new one, and one with its results."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.language import in_language, lines_in_language
from annotation_platform.accounts.models import User
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.core.errors import ConflictError, InvalidInputError
from annotation_platform.core.schemes.loading import preset
from annotation_platform.crowd.pages import enter
from annotation_platform.crowd.rounds import services
from annotation_platform.crowd.rounds.forms import RoundForm, SourceForm
from annotation_platform.crowd.rounds.measuring import difficulties
from annotation_platform.crowd.rounds.models import Round
from annotation_platform.crowd.rounds.results import overview_of, proposals_in, results_of
from annotation_platform.crowd.rounds.selectors import (
    attempts_in,
    lacks_key,
    round_in,
    rounds_of_study,
    state_of,
)
from annotation_platform.jobs.transactions import DatabaseBusyError
from annotation_platform.studies.models import Member, Role, Study

ATTEMPTS_PER_PAGE = 100


@login_required
@require_safe
def rounds(request: PageRequest, slug: str) -> HttpResponse:
    """The rounds of a study, in the order in which they are passed."""
    study, context = enter(request, slug, "rounds")
    context["rounds"] = [overview_of(each) for each in rounds_of_study(study.pk)]
    return render(request, "crowd/rounds/rounds.html", context)


@login_required
@require_http_methods(["GET", "POST"])
def new_round(request: PageRequest, slug: str) -> HttpResponse:
    """A round of a corpus, or of a study that is there; what was typed stays when it cannot be used."""
    study, context = enter(request, slug, "rounds")
    assert isinstance(request.user, User)  # login_required
    sent = request.POST if request.method == "POST" else None
    number = rounds_of_study(study.pk).count() + 1
    form = RoundForm(sent, initial={"title": gettext("Round %(number)s") % {"number": number}, "least_percent": 60})
    source = SourceForm(sent, user=request.user, study=study)
    reasons: list[str] = []
    if sent is not None and form.is_valid() & source.is_valid():
        try:
            made = _make(study, form, source, Actor.of_request(request))
        except InvalidInputError as error:
            reasons = lines_in_language(error)
        except DatabaseBusyError as error:
            reasons = [in_language(error)]
        else:
            messages.success(
                request, gettext("“%(round)s” is there. Write its accepted answers, then open it.") % {"round": made}
            )
            return redirect("round", slug=slug, pk=made.pk)
    context |= {"form": form, "source": source, "reasons": reasons}
    return render(request, "crowd/rounds/new.html", context, status=200 if sent is None else 422)


@login_required
@require_http_methods(["GET", "POST"])
def one_round(request: PageRequest, slug: str, pk: int) -> HttpResponse:
    """A round: how it stands, who tried with what came of it, how hard its items are, and its settings."""
    study, _ = enter(request, slug, "rounds")
    round_ = round_in(study, pk)
    form = RoundForm(request.POST or None, instance=round_in(study, pk))
    reasons: list[str] = []
    if request.method == "POST" and form.is_valid():
        try:
            services.change_round(round_=round_, settings=form.settings, actor=Actor.of_request(request))
        except InvalidInputError as error:
            reasons = lines_in_language(error)
        else:
            messages.success(request, gettext("Saved. Verdicts that were given stay."))
            return redirect("round", slug=slug, pk=pk)
    return _round_page(request, slug, pk, form=form, reasons=reasons, status=422 if request.method == "POST" else 200)


@login_required
@require_POST
def open_round(request: PageRequest, slug: str, pk: int) -> HttpResponse:
    """Let people try."""
    study, _ = enter(request, slug, "rounds")
    try:
        services.open_round(round_=round_in(study, pk), actor=Actor.of_request(request))
    except (InvalidInputError, ConflictError) as error:
        messages.error(request, in_language(error))
    else:
        messages.success(request, gettext("The round is open. Annotators find it among their qualifications."))
    return redirect("round", slug=slug, pk=pk)


@login_required
@require_POST
def end_round(request: PageRequest, slug: str, pk: int) -> HttpResponse:
    """Let nobody try any more, and decide who are the best where they pass."""
    study, _ = enter(request, slug, "rounds")
    try:
        decided = services.end_round(round_=round_in(study, pk), actor=Actor.of_request(request))
    except ConflictError as error:
        messages.error(request, in_language(error))
    else:
        messages.success(request, _ended(decided))
    return redirect("round", slug=slug, pk=pk)


@login_required
@require_POST
def move_round_up(request: PageRequest, slug: str, pk: int) -> HttpResponse:
    """Have it passed earlier."""
    study, _ = enter(request, slug, "rounds")
    services.move_up(round_=round_in(study, pk), actor=Actor.of_request(request))
    return redirect("rounds", slug=slug)


@login_required
@require_POST
def confirm(request: PageRequest, slug: str, pk: int) -> HttpResponse:
    """Give all who wait the verdict that the rule proposes."""
    study, context = enter(request, slug, "rounds")
    round_ = round_in(study, pk)
    given = services.confirm_proposals(round_=round_, by=context["member"], actor=Actor.of_request(request))
    said = ngettext(
        "Decided for %(count)s attempt, as the rule proposed.",
        "Decided for %(count)s attempts, as the rule proposed.",
        given,
    )
    messages.success(request, said % {"count": given})
    return redirect("round", slug=slug, pk=pk)


def _ended(decided: int) -> str:
    if not decided:
        return gettext("The round has ended.")
    return gettext("The round has ended. %(count)s attempts were decided.") % {"count": decided}


def _make(study: Study, form: RoundForm, source: SourceForm, actor: Actor) -> Round:
    existing, corpus = source.cleaned_data["existing"], source.cleaned_data["corpus"]
    if existing is not None:
        return services.adopt_study(study=study, existing=existing, settings=form.settings, actor=actor)
    chosen = source.cleaned_data["scheme"]
    definition = preset(chosen) if chosen else study.scheme_version.definition
    return services.make_round(study=study, corpus=corpus, definition=definition, settings=form.settings, actor=actor)


def _round_page(request: PageRequest, slug: str, pk: int, *, status: int, **extra: Any) -> HttpResponse:
    study, context = enter(request, slug, "rounds")
    round_ = round_in(study, pk)
    page = Paginator(attempts_in(round_), ATTEMPTS_PER_PAGE).get_page(request.GET.get("page"))
    context |= {
        "round": round_,
        "overview": overview_of(round_),
        "state": state_of(round_),
        "lacks_key": lacks_key(round_),
        "attempts": page,
        "results": results_of(round_, list(page)),
        "proposals": proposals_in(round_),
        "difficulties": difficulties(round_),
        "annotators": Member.objects.filter(study=study, role=Role.ANNOTATOR, user__isnull=False).order_by("pseudonym"),
        **extra,
    }
    return render(request, "crowd/rounds/round.html", context, status=status)
