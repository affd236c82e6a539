"""The pages of the Agreement tab, their charts and downloads. All of it is read from a snapshot, nothing computed."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST
from django_htmx.http import HttpResponseClientRefresh

from annotation_platform.accounts.requests import PageRequest
from annotation_platform.analysis import charts
from annotation_platform.analysis.frame.figures import figure_page
from annotation_platform.analysis.frame.standing import standing_of
from annotation_platform.analysis.sections.annotators.tables import annotators_of, otherwise_in_words, who_is_far
from annotation_platform.analysis.sections.history.comparison import before, headline_table, what_differs
from annotation_platform.analysis.sections.labels.tables import parts_of
from annotation_platform.analysis.sections.pairs.pair import annotators_in_pairs, chosen_pair, partners
from annotation_platform.analysis.snapshots.stored import in_words, latest_snapshot
from annotation_platform.analysis.tables import registry as tables
from annotation_platform.analysis.tables.base import SETTINGS
from annotation_platform.core.errors import NotThereError
from annotation_platform.studies.models import Study
from annotation_platform.studies.selectors import study_for_reader
from workers.tasks import enqueue_snapshot


@login_required
@require_GET
def agreement(request: PageRequest, slug: str) -> HttpResponse:
    """Raw beside rescaled: every coefficient. Where figures are awaited, says to htmx when they have come."""
    page = figure_page(request, slug, "overview")
    if request.htmx and request.htmx.target == "waiting":
        if page.snapshot and not page.context["stale_because"]:
            return HttpResponseClientRefresh()
        return render(request, "analysis/_waiting.html", page.context)
    if page.aspect:
        asked, found = page.tables("aspects", "agreement", "coefficients")
        page.context |= {"tables": found, "figures": asked.figures, "words": in_words(asked.figures)}
        page.context["standing"] = standing_of(page.study)
        if page.snapshot and (then := before(page.snapshot)) is not None:
            page.context |= {"then": then, "differs": what_differs(then, page.snapshot)}
            page.context["since"] = headline_table(then, page.snapshot)
    return render(request, "analysis/sections/agreement.html", page.context)


@login_required
@require_GET
def annotators(request: PageRequest, slug: str) -> HttpResponse:
    """The annotators beside each other: labels, of all items or a part of them; leniency, agreement, time."""
    page = figure_page(request, slug, "annotators")
    if name := request.GET.get("annotator"):
        found_member = page.study.members.filter(pseudonym=name).first()
        if found_member is None:
            raise NotThereError("analysis.no_annotator", name=name)
        address = reverse("agreement_annotator", kwargs={"slug": slug, "pk": found_member.pk})
        return redirect(address + page.context["aspect_query"])
    target = request.htmx.target if request.htmx else None
    if page.aspect:
        names = ["labels-annotator"] if target == "labels" else ["annotators", "labels-annotator", "means-label"]
        asked, found = page.tables(*names)
        page.context |= {
            "labels": found.get("labels-annotator"),
            "people": found.get("annotators"),
            "each": _with_keys(page.study, [each["name"] for each in annotators_of(asked)]) if target is None else (),
            "means": found.get("means-label"),
            "parts": parts_of(asked),
            "part": request.GET.get("part", ""),
        }
        if "annotators" in asked.figures and "annotators" in names:
            page.context |= {"far": who_is_far(asked), "otherwise": otherwise_in_words(asked)}
    return render(
        request, "analysis/sections/annotators.html" + ("#labels" if target == "labels" else ""), page.context
    )


@login_required
@require_GET
def annotator(request: PageRequest, slug: str, pk: int) -> HttpResponse:
    """One annotator against the others. The address has a key, since an imported name may be any text."""
    page = figure_page(request, slug, "annotators")
    name = page.study.members.filter(pk=pk).values_list("pseudonym", flat=True).first()
    if name is None:
        raise NotThereError("analysis.no_such_annotator")
    if page.snapshot is None:
        raise NotThereError("analysis.no_figures")
    asked, found = page.tables("annotator", "labels-annotator", "annotator-pairs", annotator=name)
    if "annotator" not in found:
        raise NotThereError("analysis.figures_too_old")
    everybody = _with_keys(page.study, [each["name"] for each in annotators_of(asked)])
    place = everybody.index((name, pk))
    page.context |= {
        "name": name,
        "tables": found,
        "previous": everybody[place - 1] if place else None,
        "next": everybody[place + 1] if place + 1 < len(everybody) else None,
    }
    return render(request, "analysis/sections/annotator.html", page.context)


def _with_keys(study: Study, names: list[str]) -> list[tuple[str, int]]:
    """Each of these annotators with their key."""
    keys = dict(study.members.values_list("pseudonym", "pk"))
    return [(name, keys[name]) for name in names if name in keys]


@login_required
@require_GET
def systems(request: PageRequest, slug: str) -> HttpResponse:
    """The systems whose answers were judged: labels, means, how sure their order is."""
    page = figure_page(request, slug, "systems")
    if page.aspect:
        names = ("means-aspects", "wins", "means-system", "ranks", "differences", "labels-system")
        page.context["tables"] = page.tables(*names)[1]
    return render(request, "analysis/sections/systems.html", page.context)


@login_required
@require_GET
def pairs(request: PageRequest, slug: str) -> HttpResponse:
    """Every pair of annotators, and two of them side by side; each part answers htmx by itself."""
    page = figure_page(request, slug, "pairs")
    target = request.htmx.target if request.htmx else None
    if not page.aspect:
        return render(request, "analysis/sections/pairs.html", page.context)
    names = [target] if target in ("pairs", "pair") else ["changes", "pairs", "pair"]
    asked, found = page.tables(*names)
    context: dict[str, Any] = page.context | {"tables": found, "figures": asked.figures}
    context |= {"setting": asked.setting, "settings": SETTINGS, "pairs": asked.figures.get(asked.pairs)}
    if "pair" in found:
        pair = chosen_pair(asked)
        one = request.GET.get("of") or pair[0]
        context |= {"one": one, "other": pair[pair[0] == one], "partners": partners(asked, one)}
        context["everybody"] = annotators_in_pairs(asked)
    return render(request, "analysis/sections/pairs.html" + (f"#{target}" if len(names) == 1 else ""), context)


@login_required
@require_POST
def refresh_agreement(request: PageRequest, slug: str) -> HttpResponse:
    study = study_for_reader(request.user, slug)
    enqueue_snapshot(study)
    messages.success(request, "The figures are computed again; where nothing has changed they stay as they are.")
    return redirect("agreement", slug=slug)


@login_required
@require_GET
def chart(request: PageRequest, slug: str, aspect: str, name: str, kind: str) -> HttpResponse:
    """One chart as its specification (``json``), as a picture (``svg``, ``png``), or its table (``csv``)."""
    study = study_for_reader(request.user, slug)
    snapshot = latest_snapshot(study)
    if snapshot is None:
        raise NotThereError("analysis.no_figures")
    wanted = tables.table_named(name)
    asked = tables.ask(snapshot, aspect, [wanted], request.GET.dict())
    table = tables.tables_of(asked, [wanted]).get(wanted)
    if table is None:
        raise NotThereError("analysis.no_chart")
    if kind == "csv":
        return download(table.csv(), "text/csv; charset=utf-8", f"{slug}-{table.name}.csv")
    theme = charts.THEMES.get(request.GET.get("scheme", "light"), charts.LIGHT)
    width = number_between(request.GET.get("width"), 200, charts.WIDEST, otherwise=charts.DOWNLOAD_WIDTH)
    spec = charts.chart_spec(table, name, theme, narrow="narrow" in request.GET, width=width)
    if kind == "svg":
        return download(charts.to_svg(spec), "image/svg+xml", f"{slug}-{name}.svg")
    if kind == "png":
        return download(charts.to_png(spec), "image/png", f"{slug}-{name}.png")
    return JsonResponse(spec)


def number_between(text: str | None, least: int, most: int, *, otherwise: int) -> int:
    """A whole number that an address gives, brought between two others."""
    return min(max(int(text), least), most) if text and text.isdecimal() and len(text) < 10 else otherwise


def download(content: str | bytes, content_type: str, filename: str) -> HttpResponse:
    return HttpResponse(
        content, content_type=content_type, headers={"Content-Disposition": f'attachment; filename="{filename}"'}
    )
