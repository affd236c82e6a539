"""An address and method of the API: whom it is for, and which scope of a token it takes."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from annotation_platform.accounts.models import User
from annotation_platform.studies.models import Assignment, Study

ANYBODY = {"stranger", "annotator", "researcher", "admin", "operator"}
READERS = {"researcher", "admin"}
OF_STUDY = "a program as "


@dataclass(frozen=True)
class World:
    study: Study
    task: Assignment
    people: dict[str, User]
    tokens: dict[tuple[str, str], str]
    named: dict[str, dict[str, Any]] = field(default_factory=dict)
    void: dict[str, str] = field(default_factory=dict)
    """Tokens that open nothing."""
    addresses: dict[str, str] = field(default_factory=dict)
    """Those found so far, by name."""


@dataclass(frozen=True)
class Line:
    """An address and method: whom it is for, which scope it takes, and a body."""

    name: str
    method: str
    scope: str
    who: set[str]
    body: Callable[[World], Any] = lambda world: {}
    missing: str = ""
    """The code of what is not there, for those who get in."""
    is_own: bool = False
    """Whether what it is about is one person's own, so that nobody else of their role gets in."""

    def lets_in(self, name: str) -> bool:
        """Whether it is for somebody with this role; ``OF_STUDY`` before it: for a study's own token with the role."""
        role = name.removeprefix(OF_STUDY)
        return role in self.who and not (self.is_own and role != name)
