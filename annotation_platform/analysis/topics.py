"""The topics of the dashboard: one line for each, the only place where a topic is added.

A topic is a folder that has, of these modules, those that it needs:

``figures.py``  the types of the figures that are stored, with their versions: ``FIGURES``, one for each section
``measure.py``  what is computed of each aspect: ``ASPECT_SECTIONS``; ``OF_LABELS`` names those that no score changes
``section.py``  what is read from the database and computed of the study as a whole: ``STUDY_SECTIONS``,
                and what takes longer than a snapshot may, so that the worker adds it after: ``LATE_SECTIONS``
``tables.py``   its figures as rows that pages, charts and CSV files share: ``TABLES``
``charts.py``   the drawings of these tables: ``CHARTS``
``page.py``     its pages, ``urlpatterns``, and its place in the navigation, ``TAB``

They are imported when they are asked for, since pages start without the statistics, and Altair comes later. Tabs and
tables come in the order of this list.
"""

from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from django.core.exceptions import ImproperlyConfigured

SECTIONS = "annotation_platform.analysis.sections"
TOPICS = (
    f"{SECTIONS}.agreement",
    f"{SECTIONS}.annotators",
    f"{SECTIONS}.work",
    f"{SECTIONS}.pairs",
    f"{SECTIONS}.labels",
    f"{SECTIONS}.explanations",
    f"{SECTIONS}.consensus",
    f"{SECTIONS}.systems",
    f"{SECTIONS}.ranking",
    f"{SECTIONS}.preferences",
    f"{SECTIONS}.sentences",
    f"{SECTIONS}.spans",
    f"{SECTIONS}.number_of_raters",
    f"{SECTIONS}.planning",
    f"{SECTIONS}.variants",
    f"{SECTIONS}.human_llm",
    f"{SECTIONS}.powered",
    f"{SECTIONS}.judges",
    f"{SECTIONS}.mate",
    f"{SECTIONS}.equivalence",
    f"{SECTIONS}.rev",
    f"{SECTIONS}.history",
    "annotation_platform.analysis.paper",
)


def modules(kind: str) -> Iterator[ModuleType]:
    """The modules of this name, such as ``tables``, of all topics that have one."""
    for topic in TOPICS:
        if find_spec(f"{topic}.{kind}") is not None:
            yield import_module(f"{topic}.{kind}")


def collected(kind: str, name: str) -> dict[str, Any]:
    """What all topics have under this name in their modules of this kind, by key.

    Raises
    ------
    ImproperlyConfigured
        When two topics use the same key.
    """
    found: dict[str, Any] = {}
    owner: dict[str, str] = {}
    for module in modules(kind):
        for key, value in getattr(module, name, {}).items():
            if key in found:
                raise ImproperlyConfigured(
                    f"{module.__name__} has “{key}” in {name}, which {owner[key]} has already; rename one of them."
                )
            found[key], owner[key] = value, module.__name__
    return found
