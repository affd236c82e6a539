"""The second navigation of the Agreement tab: a tab for each topic that has a page."""

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from annotation_platform.analysis.topics import modules
from annotation_platform.core.schemes import Scheme
from annotation_platform.studies.models import Study

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


class Tab(NamedTuple):
    """A page in the navigation.

    ``of_aspect``: it shows the aspect that was chosen, so that its link keeps the choice. ``is_for``: whether a study
    under this scheme can have something on it; where not, there is no tab.
    """

    name: str
    title: "StrOrPromise"
    address: str
    of_aspect: bool = False
    is_for: Callable[[Scheme], bool] = lambda scheme: True


@cache
def all_tabs() -> tuple[Tab, ...]:
    return tuple(module.TAB for module in modules("page") if hasattr(module, "TAB"))


def tabs_of(study: Study) -> list[Tab]:
    scheme = study.scheme()
    return [tab for tab in all_tabs() if tab.is_for(scheme)]
