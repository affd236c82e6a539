"""The agreement page, its charts and their downloads. All of it is read from a snapshot, nothing computed."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST
from django_htmx.http import HttpResponseClientRefresh

from annotation_platform.accounts.requests import PageRequest
from annotation_platform.analysis import charts
from annotation_platform.analysis.models import AgreementSnapshot
from annotation_platform.analysis.selectors import tables
from annotation_platform.analysis.selectors.pairs import chosen_pair, pair_table
from annotation_platform.analysis.selectors.progress import scoring_of
from annotation_platform.analysis.selectors.snapshots import in_words, latest_snapshot, why_stale
from annotation_platform.analysis.views.entry import enter
from annotation_platform.core.errors import NotThereError
from annotation_platform.studies.selectors import study_for_reader
from workers import tasks


@login_required
@require_GET
def agreement(request: PageRequest, slug: str) -> HttpResponse:
    """Raw beside rescaled: coefficients, pairs, labels; the parts that change answer htmx by themselves."""
    study, context = enter(request, slug)
    snapshot = latest_snapshot(study)
    target = request.htmx.target if request.htmx else None
    stale_because = ""
    if snapshot:
        figures = snapshot.figures
        stale_because = why_stale(study, batches=figures["batches"], run_id=snapshot.run_id, scheme=figures["scheme"])
    context |= {"snapshot": snapshot, "stale_because": stale_because}
    if stale_because or not snapshot:
        context["scoring"] = scoring_of(study)
    if target == "waiting":
        is_done = snapshot is not None and not stale_because
        return HttpResponseClientRefresh() if is_done else render(request, "analysis/agreement.html#waiting", context)
    if snapshot is None or not snapshot.figures["aspects"]:
        return render(request, "analysis/agreement.html", context)

    aspect = tables.aspect_of(snapshot.figures, request.GET.get("aspect"))
    setting = request.GET.get("setting", "all")
    context |= {"aspect": aspect, "figures": snapshot.figures, "setting": setting, "settings": tables.SETTINGS}
    if aspect["level"] != "nominal":
        context["pairs"] = tables.pairs_table(aspect, setting)
    if target == "pairs":
        return render(request, "analysis/agreement.html#pairs", context)
    if aspect["pairwise_tau"]["all"]["pairs"]:
        pair = chosen_pair(aspect, request.GET.get("pair", ""))
        context |= {"chosen": "~".join(pair), "pair": pair_table(snapshot, aspect, pair)}
    if target == "pair":
        return render(request, "analysis/agreement.html#pair", context)
    context |= {
        "words": in_words(aspect),
        "overview": tables.agreement_table(aspect),
        "by_aspect": tables.aspects_table(snapshot.figures) if len(snapshot.figures["aspects"]) > 1 else None,
        "more": tables.further_tables(aspect),
    }
    return render(request, "analysis/agreement.html", context)


@login_required
@require_POST
def refresh_agreement(request: PageRequest, slug: str) -> HttpResponse:
    study = study_for_reader(request.user, slug)
    tasks.take_snapshot.delay_on_commit(study.pk)
    messages.success(request, "The figures are computed again; where nothing has changed they stay as they are.")
    return redirect("agreement", slug=slug)


@login_required
@require_GET
def chart(request: PageRequest, slug: str, aspect: str, name: str, kind: str) -> HttpResponse:
    """One chart as its specification (``json``), as a picture (``svg``, ``png``), or its table (``csv``)."""
    study = study_for_reader(request.user, slug)
    snapshot = latest_snapshot(study)
    if snapshot is None:
        raise NotThereError("This study has no figures yet.")
    if name == "aspects":
        table = tables.aspects_table(snapshot.figures)
    else:
        table = _table(snapshot, tables.aspect_of(snapshot.figures, aspect), name, request)
    if kind == "csv":
        return _download(table.csv(), "text/csv; charset=utf-8", f"{slug}-{table.name}.csv")
    theme = charts.THEMES.get(request.GET.get("scheme", "light"), charts.LIGHT)
    spec = charts.chart_spec(table, name, theme, narrow="narrow" in request.GET)
    if kind == "svg":
        return _download(charts.to_svg(spec), "image/svg+xml", f"{slug}-{name}.svg")
    if kind == "png":
        return _download(charts.to_png(spec), "image/png", f"{slug}-{name}.png")
    return JsonResponse(spec)


def _table(snapshot: AgreementSnapshot, aspect: tables.Row, name: str, request: PageRequest) -> tables.FigureTable:
    """The figure that a chart belongs to."""
    if name == "agreement":
        return tables.agreement_table(aspect)
    if name.startswith("pairs"):
        return tables.pairs_table(aspect, request.GET.get("setting", "all"))
    if name.startswith("pair"):
        return pair_table(snapshot, aspect, chosen_pair(aspect, request.GET.get("pair", "")))
    for table in tables.further_tables(aspect):
        if table.name == name:
            return table
    raise NotThereError("There is no such chart.")


def _download(content: str | bytes, content_type: str, filename: str) -> HttpResponse:
    return HttpResponse(
        content, content_type=content_type, headers={"Content-Disposition": f'attachment; filename="{filename}"'}
    )
