"""Single charts as pages draw them, and as files; single tables as CSV."""

from collections.abc import Mapping

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, JsonResponse
from django.urls import re_path
from django.utils.translation import override
from django.views.decorators.http import require_safe

from annotation_platform.accounts.requests import PageRequest
from annotation_platform.analysis import charts
from annotation_platform.analysis.snapshots.stored import latest_snapshot
from annotation_platform.analysis.tables import registry as tables
from annotation_platform.analysis.tables.base import FigureTable
from annotation_platform.core.errors import NotThereError
from annotation_platform.core.text import typed_number
from annotation_platform.studies.selectors import study_for_reader


@login_required
@require_safe
def chart(request: PageRequest, slug: str, aspect: str, name: str, kind: str) -> HttpResponse:
    """One chart as its specification (``json``), as a picture (``svg``, ``png``), or its table (``csv``).

    In English, whoever asks: it goes into papers and programs.
    """
    study = study_for_reader(request.user, slug)
    snapshot = latest_snapshot(study)
    if snapshot is None:
        raise NotThereError("analysis.no_figures")
    wanted = tables.table_named(name)
    with override(settings.LANGUAGE_CODE):
        asked = tables.ask(snapshot, aspect, [wanted], request.GET.dict())
        table = tables.tables_of(asked, [wanted]).get(wanted)
        if table is not None:
            return chart_or_table(request.GET, table, name, kind, before_name=f"{slug}-")
    raise NotThereError("analysis.no_chart")


def chart_or_table(
    asked: Mapping[str, str], table: FigureTable, name: str, kind: str, *, before_name: str = ""
) -> HttpResponse:
    """A chart of a table in the size and colours that the address asks for, or the table; see :func:`chart`."""
    if kind == "csv":
        return download(table.csv(), "text/csv; charset=utf-8", f"{before_name}{table.name}.csv")
    theme = charts.THEMES.get(asked.get("scheme", "light"), charts.LIGHT)
    width = _number_between(asked.get("width"), 200, charts.WIDEST, otherwise=charts.DOWNLOAD_WIDTH)
    spec = charts.chart_spec(table, name, theme, narrow="narrow" in asked, width=width)
    if kind == "svg":
        return download(charts.to_svg(spec), "image/svg+xml", f"{before_name}{name}.svg")
    if kind == "png":
        return download(charts.to_png(spec), "image/png", f"{before_name}{name}.png")
    return JsonResponse(spec)


def _number_between(text: str | None, least: int, most: int, *, otherwise: int) -> int:
    """A whole number that an address gives, brought between two others."""
    return otherwise if (number := typed_number(text)) is None else min(max(number, least), most)


def download(content: str | bytes, content_type: str, filename: str) -> HttpResponse:
    return HttpResponse(
        content, content_type=content_type, headers={"Content-Disposition": f'attachment; filename="{filename}"'}
    )


urlpatterns = [
    re_path(
        r"^agreement/(?P<aspect>[a-z0-9_]+)/(?P<name>[a-z-]+)\.(?P<kind>json|svg|png|csv)$",
        chart,
        name="chart",
    ),
]
