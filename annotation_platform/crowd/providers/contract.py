"""What every provider of annotators is to the rest of the platform."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from django.utils.functional import Promise

from annotation_platform.studies.models import Member, Study


@dataclass(frozen=True)
class Standing:
    """How a provider stands in a study: how many came by it, and what there is to say about it."""

    people: int
    is_open: bool
    note: str


@dataclass(frozen=True)
class Provider:
    """One way in which annotators come.

    Attributes
    ----------
    key
        Its name in rows; never changed.
    title, about
        For the researcher.
    page
        Name of the address at which a researcher sets it up; it takes the study's slug.
    standing
        How it stands in a study.
    knows_people
        Whether the platform that it stands for has identifiers of its own, which the vault keeps.
    brought
        Keys of those of some members who came by it. The first provider of the list that names one is theirs.
    """

    key: str
    title: str | Promise
    about: str | Promise
    page: str
    standing: Callable[[Study], Standing]
    brought: Callable[[Sequence[Member]], Collection[int]]
    knows_people: bool = False
