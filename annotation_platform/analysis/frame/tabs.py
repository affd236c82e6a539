"""The second navigation of the Agreement tab: a tab for each topic that has a page."""

from functools import cache
from typing import NamedTuple

from annotation_platform.analysis.topics import modules
from annotation_platform.studies.models import Study


class Tab(NamedTuple):
    """A page in the navigation.

    ``of_aspect``: it shows the aspect that was chosen, so that its link keeps the choice. ``needs_part``: it is there
    only where items of the study's scheme have this part, such as a rationale.
    """

    name: str
    title: str
    address: str
    of_aspect: bool = False
    needs_part: str = ""


@cache
def all_tabs() -> tuple[Tab, ...]:
    return tuple(module.TAB for module in modules("page") if hasattr(module, "TAB"))


def tabs_of(study: Study) -> list[Tab]:
    parts = study.scheme().parts
    return [tab for tab in all_tabs() if not tab.needs_part or tab.needs_part in parts]
