"""The page of what the explanations say."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import path
from django.utils.http import urlencode
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from annotation_platform.accounts.requests import PageRequest
from annotation_platform.analysis.frame.figures import figure_page
from annotation_platform.analysis.frame.tabs import Tab
from annotation_platform.analysis.models import AgreementSnapshot, ExploredStudy
from annotation_platform.analysis.sections.explanations.figures import (
    EXPLANATIONS,
    ExplanationsOfAspect,
    GroupWords,
    Quotation,
)
from annotation_platform.analysis.sections.explanations.tables import (
    KINDS,
    caption_of,
    cautions,
    explanations_of,
    group_reading,
    left_out_groups,
    left_out_reading,
    names_of,
    stability_reading,
)
from annotation_platform.analysis.tables.base import FigureTable
from annotation_platform.analysis.tables.registry import tables_of
from annotation_platform.analysis.tables.request import TableRequest
from annotation_platform.core.schemes import Scheme, TextAspect

WORDS_LINKED = 10
BY = {"labels": _("labels"), "systems": _("systems"), "annotators": _("annotators")}
FIELD = {"labels": "label", "systems": "system", "annotators": "annotator"}  # of the explorer


@dataclass(frozen=True)
class GroupCard:
    """One label, system or annotator with its words, each with the query that finds its items."""

    name: str
    documents: int
    reading: str
    left_out: str
    words: list[tuple[str, int, str]]
    figure: FigureTable | None


@dataclass(frozen=True)
class ThemeCard:
    """One theme: of how many explanations of each label, and quotations, each with what its label is called.

    ``query`` finds its items.
    """

    number: int
    words: Sequence[str]
    documents: int
    query: str
    labels: list[tuple[str, int, int]]
    quotations: list[tuple[Quotation, str]]


@login_required
@require_safe
def explanations(request: PageRequest, slug: str) -> HttpResponse:
    page = figure_page(request, slug, "explanations")
    if page.aspect:
        kind = request.GET.get("by", "")
        kind = kind if kind in KINDS else "labels"
        asked, found = page.tables(f"words-{kind}", "themes", group="")
        is_known = asked.has(EXPLANATIONS)
        explained = explanations_of(asked) if is_known else None
        page.context |= {
            "is_known": is_known,
            "is_reading": not is_known and not _is_explored(page.snapshot),
            "explained": explained,
            "by": kind,
            "kinds": BY,
            "caption": caption_of(kind),
            "words": found.get(f"words-{kind}"),
            "themes": found.get("themes"),
        }
        if explained is not None:
            page.context |= {
                "cards": _cards(asked, explained, kind),
                "few_groups": len(explained.groups[kind]) < 2,
                "left_out": left_out_groups(explained, kind),
                "cautions": cautions(explained, kind),
                "stability": stability_reading(explained),
                "theme_cards": _theme_cards(asked, explained),
            }
    return render(request, "analysis/sections/explanations.html", page.context)


def _is_explored(snapshot: AgreementSnapshot | None) -> bool:
    return ExploredStudy.objects.filter(snapshot=snapshot).exists()


def _cards(asked: TableRequest, found: ExplanationsOfAspect, kind: str) -> list[GroupCard]:
    names, groups = names_of(asked, kind), found.groups[kind]
    if len(groups) < 2:
        return []
    return [_card(asked, group, names.get(group.name, group.name), kind) for group in groups]


def _card(asked: TableRequest, group: GroupWords, name: str, kind: str) -> GroupCard:
    table = f"words-{kind}"
    own = replace(asked, parameters={"group": group.name})
    where = {"aspect": asked.aspect, FIELD[kind]: group.name}
    return GroupCard(
        name=name,
        documents=group.documents,
        reading=group_reading(group, name, kind),
        left_out=left_out_reading(group),
        words=[
            (word.term, word.documents, urlencode({"said": word.term, **where})) for word in group.words[:WORDS_LINKED]
        ],
        figure=tables_of(own, [table]).get(table) if group.words else None,
    )


def _theme_cards(asked: TableRequest, found: ExplanationsOfAspect) -> list[ThemeCard]:
    names, labels = names_of(asked, "labels"), found.explained.items()
    return [
        ThemeCard(
            number=place,
            words=theme.words,
            documents=theme.documents,
            query=urlencode({"theme": f"{asked.aspect}.{place}", "aspect": asked.aspect}),
            labels=[(names.get(label, label), theme.by_label.get(label, 0), n) for label, n in labels],
            quotations=[(quoted, names.get(quoted.label, quoted.label)) for quoted in theme.quotations],
        )
        for place, theme in enumerate(found.themes, start=1)
    ]


def _has_explanations(scheme: Scheme) -> bool:
    return any(isinstance(each, TextAspect) and scheme.explained_by(each.key) for each in scheme.aspects)


TAB = Tab("explanations", _("Explanations"), "agreement_explanations", of_aspect=True, is_for=_has_explanations)
urlpatterns = [path("agreement/explanations/", explanations, name="agreement_explanations")]
