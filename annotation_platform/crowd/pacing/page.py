"""Crowd → BatchRelease: when the next batches come, what holds them back, what was released when, and more time."""

import re
from collections.abc import Mapping
from math import isfinite
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.core.errors import ConflictError, DomainError, InvalidInputError
from annotation_platform.core.text import typed_number
from annotation_platform.crowd.pacing.gates import GateFigure, Unit, Verdict, verdicts_of
from annotation_platform.crowd.pacing.limits import limits_without_aspect
from annotation_platform.crowd.pacing.models import BatchRelease, Bound, Pacing
from annotation_platform.crowd.pacing.services import pacing_of, release_now, set_pacing
from annotation_platform.crowd.pages import enter
from annotation_platform.crowd.pay.money import amount_of, digits_of, plain
from annotation_platform.studies.models import BatchState, Study
from annotation_platform.studies.services import set_extensions

RELEASES_SHOWN = 20
GROUPED = re.compile(r"[-−+]?[1-9]\d{0,2}(,\d{3})+(?!\d)")
"""A number whose commas part thousands, or stand before decimals: nobody can tell."""


@login_required
@require_http_methods(["GET", "POST"])
def release(request: PageRequest, slug: str) -> HttpResponse:
    """One form for each thing that can change; what was typed stays when it cannot be used."""
    study, context = enter(request, slug, "crowd_release")
    step = request.POST.get("step", "")
    refused = ""
    sent: dict[str, str] = {}
    if request.method == "POST" and step in STEPS:
        try:
            messages.success(request, STEPS[step](request, study, context))
        except DomainError as error:
            refused, sent = in_language(error), request.POST.dict()
            if isinstance(error, ConflictError):  # the limits can be of other aspects by now
                sent = {name: text for name, text in sent.items() if not name.startswith("limit-")}
        else:
            return redirect("crowd_release", slug=slug)
    context |= _shown(study, sent) | {"refused": {step: refused} if refused else {}}
    return render(request, "crowd/pacing/release.html", context, status=422 if refused else 200)


def _shown(study: Study, sent: Mapping[str, str]) -> dict[str, Any]:
    pacing = pacing_of(study)
    releases = BatchRelease.objects.filter(study=study).select_related("released_by")
    left = study.batches.filter(state=BatchState.DRAFT).order_by("number")
    typed: dict[str, Any] = {
        "is_on": pacing.is_on,
        "batches_at_once": pacing.batches_at_once,
        "every_hours": pacing.every_hours,
        "bound": pacing.bound,
        "most_extensions": study.most_extensions,
        "extension_percent": study.extension_percent,
        "because": "",
    }
    typed |= {name: sent[name] for name in typed if name in sent}
    if sent.get("step") == "pacing":
        typed["is_on"] = "is_on" in sent
    verdicts = verdicts_of(pacing)
    return {
        "pacing": pacing,
        "typed": typed,
        "gates": [(each, sent.get(f"limit-{each.reading.key}", _as_typed(each))) for each in verdicts],
        "without_aspect": limits_without_aspect(study, pacing.limits),
        "is_held": any(each.holds_back for each in verdicts),
        "bounds": Bound.choices,
        "releases": releases[:RELEASES_SHOWN],
        "last": releases.values_list("number", flat=True).first() or 0,
        "left": left.count(),
        "next_batches": list(left.values_list("number", flat=True)[: pacing.batches_at_once]),
    }


def _set_pacing(request: PageRequest, study: Study, context: Mapping[str, Any]) -> str:
    pacing = set_pacing(
        study=study,
        is_on="is_on" in request.POST,
        batches_at_once=_whole(request, "batches_at_once"),
        every_hours=_whole(request, "every_hours"),
        limits=_limits(request, pacing_of(study)),
        bound=request.POST.get("bound", ""),
        actor=Actor.of_request(request),
        made_under=request.POST.get("scheme", ""),
    )
    return (
        _("Saved. Batches are released by the clock.") if pacing.is_on else _("Saved. Nothing is released by itself.")
    )


def _release_now(request: PageRequest, study: Study, context: Mapping[str, Any]) -> str:
    done = release_now(
        study=study,
        member=context["member"],
        because=request.POST.get("because", ""),
        after=typed_number(request.POST.get("after")) or 0,
        actor=Actor.of_request(request),
    )
    return _("Released: batch %(numbers)s.") % {"numbers": ", ".join(map(str, done.batches))}


def _set_extensions(request: PageRequest, study: Study, context: Mapping[str, Any]) -> str:
    set_extensions(
        study=study,
        most=_whole(request, "most_extensions"),
        percent=_whole(request, "extension_percent"),
        actor=Actor.of_request(request),
    )
    return _("Saved. It holds from now on, also for tasks that are under way.")


STEPS = {"pacing": _set_pacing, "now": _release_now, "extensions": _set_extensions}


def _whole(request: PageRequest, name: str) -> int:
    """A whole number as it was typed; what is none is as far out of every range as can be."""
    typed = typed_number(request.POST.get(name))
    return -1 if typed is None else typed


def _limits(request: PageRequest, pacing: Pacing) -> dict[str, float]:
    """The limits that were typed; those of figures that the page does not show stay."""
    limits = dict(pacing.limits)
    for verdict in verdicts_of(pacing):
        reading = verdict.reading
        typed = request.POST.get(f"limit-{reading.key}", "").strip()
        limits.pop(reading.key, None)
        if typed:
            limits[reading.key] = _limit(typed, reading)
    return limits


def _limit(typed: str, reading: GateFigure) -> float:
    """A limit as it was typed: money as everywhere, of other figures a number with a point or comma before decimals."""
    if reading.unit == Unit.MONEY:
        return float(plain(amount_of(typed, reading.currency), reading.currency))
    if GROUPED.match(typed):
        raise InvalidInputError("crowd.limit_grouped", figure=reading.title, text=typed[:40])
    try:
        number = float(typed.replace(",", ".").removesuffix("%"))
    except ValueError:
        raise InvalidInputError("crowd.limit_unread", figure=reading.title) from None
    if not isfinite(number):
        raise InvalidInputError("crowd.limit_unread", figure=reading.title)
    return number / 100 if reading.unit == Unit.PERCENT else number


def _as_typed(verdict: Verdict) -> str:
    limit, reading = verdict.limit, verdict.reading
    if limit is None:
        return ""
    if reading.unit == Unit.MONEY:
        return f"{limit:.{digits_of(reading.currency)}f}"
    return f"{100 * limit if reading.unit == Unit.PERCENT else limit:.12g}"
