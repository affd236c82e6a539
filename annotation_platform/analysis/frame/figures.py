"""What the pages of the Agreement tab share: which snapshot, which aspect, and the tables drawn from them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from annotation_platform.accounts.requests import PageRequest
from annotation_platform.analysis.frame.entry import enter
from annotation_platform.analysis.frame.standing import scoring_of
from annotation_platform.analysis.frame.tabs import tabs_of
from annotation_platform.analysis.models import AgreementSnapshot
from annotation_platform.analysis.snapshots.awaiting import studies_awaiting_snapshot
from annotation_platform.analysis.snapshots.jobs import failed_snapshot
from annotation_platform.analysis.snapshots.stored import (
    finished_batches,
    latest_snapshot,
    of_another_version,
    why_stale,
)
from annotation_platform.analysis.tables import registry as tables
from annotation_platform.core.errors import NotThereError
from annotation_platform.studies.models import DrawRule, Study


@dataclass
class FigurePage:
    """A page of figures: the study, its newest snapshot, the aspect asked for, and the context so far.

    ``aspect`` is empty while there is no snapshot, and where the scheme has nothing to measure.
    """

    request: PageRequest
    study: Study
    snapshot: AgreementSnapshot | None
    aspect: str
    context: dict[str, Any]

    def tables(
        self, *names: str, sections: Iterable[str] = (), **parameters: str
    ) -> tuple[tables.TableRequest, dict[str, tables.FigureTable]]:
        """These tables of the snapshot, and with them the figures they were made from and ``sections`` besides.

        ``parameters`` are added to what the query of the address says. The page knows then whether an earlier version
        stored figures of some of them, so that these are missing (``are_older``).
        """
        assert self.snapshot is not None
        asked = tables.ask(self.snapshot, self.aspect, names, self.request.GET.dict() | parameters, sections=sections)
        old = of_another_version(self.snapshot).keys()
        self.context["are_older"] = any(key in old for name in names for key in tables.needs_of(name, asked))
        return asked, tables.tables_of(asked, names)


def figure_page(request: PageRequest, slug: str, name: str) -> FigurePage:
    """Who may enter, what is shown, and whether it is out of date. ``name`` is the page's in the navigation.

    Raises
    ------
    NotThereError
        For everybody but the study's researchers and admins, and for an aspect without figures.
    """
    study, context = enter(request, slug)
    snapshot = latest_snapshot(study)
    finished = finished_batches(study) if snapshot else []
    stale_because = why_stale(study, snapshot, finished) if snapshot else ""
    aspects = snapshot.head.aspects if snapshot else ()
    keys = [aspect.aspect for aspect in aspects]
    key = request.GET.get("aspect") or (keys[0] if keys else "")
    if keys and key not in keys:
        raise NotThereError("analysis.no_aspect")
    context |= {
        "page": name,
        "tabs": tabs_of(study),
        "snapshot": snapshot,
        "stale_because": stale_because,
        "aspects": aspects,
        "aspect": aspects[keys.index(key)] if keys else None,
        "aspect_query": f"?aspect={key}" if len(keys) > 1 else "",
        "is_drawn_unevenly": any(batch.drawn_by == DrawRule.UNCERTAINTY for batch in finished),
    }
    if stale_because or not snapshot:
        scoring = scoring_of(study)
        awaited = scoring.is_active or scoring.awaited or studies_awaiting_snapshot(Study.objects.filter(pk=study.pk))
        context |= {"scoring": scoring, "is_awaited": bool(awaited), "failed": failed_snapshot(study)}
    return FigurePage(request, study, snapshot, key if keys else "", context)
