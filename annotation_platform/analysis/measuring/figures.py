"""Figures as a snapshot stores them: frozen types, each section's with a version."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter

T = TypeVar("T")
Interval = tuple[float, float]


class StoredFigures(BaseModel):
    """Figures that belong together; nothing is added to them or changed after they were measured."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Figure(StoredFigures):
    """One number with its interval, or the reason why it is not defined or has none."""

    value: float | None
    interval: Interval | None
    undefined_because: str | None
    no_interval_because: str | None

    @property
    def why_not(self) -> str:
        """Why it is not defined or, if it is, has no interval."""
        return self.undefined_because or self.no_interval_because or ""


class CountedFigure(Figure):
    """One number, and how much it rests on."""

    items: int
    annotators: int
    judgments: int


@dataclass(frozen=True)
class SectionFigures(Generic[T]):
    """What a section stores under its key, and how it is called where two snapshots are compared.

    ``type`` is a kind of `StoredFigures`, or a list or dictionary of them. Raise ``version`` with every change after
    which figures that were stored before cannot be read any more or mean something else: a snapshot that has them is
    then said to be out of date, and they are not shown.
    """

    key: str
    title: str
    version: int
    type: Any

    @cached_property
    def _adapter(self) -> TypeAdapter[T]:
        return TypeAdapter(self.type)

    def to_stored(self, figures: T) -> Any:
        """Plain JSON data; what was left at its default is not there."""
        return self._adapter.dump_python(figures, mode="json", exclude_unset=True)

    def from_stored(self, stored: Any) -> T:
        return self._adapter.validate_python(stored)
