"""Charts as pages draw them, of a study and of a plan: specification, picture, or the table behind one."""

from typing import Any

from django.conf import settings
from django.utils.translation import override
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.scopes import Scope
from annotation_platform.analysis.charts import THEMES, WIDEST
from annotation_platform.analysis.charts.page import chart_or_table
from annotation_platform.analysis.sections.planning.forms import StatedForm
from annotation_platform.analysis.sections.planning.tables import stated_form, stated_tables
from annotation_platform.analysis.tables import registry as tables
from annotation_platform.analysis.tables.base import FigureTable
from annotation_platform.api.figures.parameters import HOW
from annotation_platform.api.figures.selectors import asked_snapshot
from annotation_platform.api.figures.serializers import TableRead, told_table
from annotation_platform.api.frame.views import ApiView
from annotation_platform.core.errors import InvalidInputError, NotThereError
from annotation_platform.studies.selectors import study_for_reader

KINDS = ("json", "svg", "png", "csv")
DRAWN = [
    OpenApiParameter("kind", str, enum=KINDS, description="json: as Vega-Lite has it (usual); csv: the table."),
    OpenApiParameter("scheme", str, enum=[*THEMES], description="Colours; usually light."),
    OpenApiParameter("width", int, description=f"Pixels, from 200 to {WIDEST}."),
    OpenApiParameter("narrow", bool, description="When it is named: for a small screen."),
]
FILES = {
    (200, "application/json"): OpenApiTypes.OBJECT,
    (200, "image/svg+xml"): OpenApiTypes.BINARY,
    (200, "image/png"): OpenApiTypes.BINARY,
    (200, "text/csv"): OpenApiTypes.BINARY,
}
DESIGN = [
    OpenApiParameter(name, str, description=" ".join(filter(None, (f"{field.label}.", str(field.help_text)))))
    for name, field in StatedForm.base_fields.items()
]


class Chart(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(responses=FILES, parameters=[*HOW, *DRAWN], operation_id="chart_read")
    def get(self, request: Request, slug: str, aspect: str, name: str) -> Any:
        """One chart of an aspect, by a name that a table of the figures has in “charts”."""
        snapshot = asked_snapshot(request, study_for_reader(request.user, slug))
        wanted = tables.table_named(name)
        with override(settings.LANGUAGE_CODE):  # a file is the same whoever loads it
            asked = tables.ask(snapshot, aspect, [wanted], request.query_params.dict())
            return _drawn(request, tables.tables_of(asked, [wanted]).get(wanted), name, before_name=f"{slug}-")


class StatedPlan(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(
        responses=inline_serializer(
            "StatedPlan",
            {"design": serializers.DictField(help_text="As it was asked."), "tables": TableRead(many=True)},
        ),
        parameters=DESIGN,
        operation_id="plan_read",
    )
    def get(self, request: Request) -> Response:
        """What a design finds and costs by stated variances, before there is a study.

        From a study's own variances: its figures “pilot”, which take the same design.
        """
        form = _form(request)
        made = [told_table(table) for table in stated_tables(form, query="").values()]
        return Response({"design": dict(form.cleaned_data), "tables": made})


class PlanChart(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(responses=FILES, parameters=[*DRAWN, *DESIGN], operation_id="plan_chart_read")
    def get(self, request: Request, name: str) -> Any:
        """One chart of a plan by stated variances, or one of its tables."""
        form = _form(request)
        with override(settings.LANGUAGE_CODE):
            return _drawn(request, stated_tables(form, query="").get(name), name)


def _form(request: Request) -> StatedForm:
    """
    Raises
    ------
    ValidationError
        With each field of the design that cannot be.
    """
    form = stated_form(request.query_params.dict())
    if not form.is_valid():
        raise serializers.ValidationError({name: list(map(str, errors)) for name, errors in form.errors.items()})
    return form


def _drawn(request: Request, table: FigureTable | None, name: str, *, before_name: str = "") -> Any:
    kind = request.query_params.get("kind", "json")
    if kind not in KINDS:
        raise InvalidInputError("api.choice_wrong", field="kind", known=[*KINDS])
    if table is None:
        raise NotThereError("analysis.no_chart")
    return chart_or_table(request.query_params.dict(), table, name, kind, before_name=before_name)
