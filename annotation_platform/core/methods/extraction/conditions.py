"""Conditions between aspects, applied to what was read: a hidden aspect has no label, whatever the reply says."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from annotation_platform.core.methods.extraction.values import LabelReading, Unread
from annotation_platform.core.schemes import ItemShape, Scheme
from annotation_platform.core.schemes.definition import Slot


def settle(scheme: Scheme, shape: ItemShape, readings: Mapping[str, LabelReading]) -> dict[str, LabelReading]:
    """Apply the scheme's conditions to the readings of one item, from one call or from all of them together.

    - An aspect whose condition does not hold is not applicable.
    - One that must be answered, and was left open, is a failure (out of scale).
    - Where the condition asks for an aspect that could not be read, it is a failure (undecided).
    - Where it asks for an aspect that is not among the readings, the reading stays as it is.

    Parameters
    ----------
    readings : mapping of slot key to LabelReading
        Of any of the item's slots.
    """
    settled = dict(readings)
    values: dict[str, Any] = {}
    for slot in scheme.slots(shape):
        if slot.key not in readings:
            continue
        reading = _settled(scheme, slot, settled, values)
        settled[slot.key] = reading
        if reading.value is not None:
            values[slot.key] = reading.value
        if slot.forced_key in settled and reading.is_not_applicable:
            settled[slot.forced_key] = reading
    return settled


def judgment_values(readings: Mapping[str, LabelReading], scheme: Scheme, shape: ItemShape) -> dict[str, Any]:
    """The labels read, as the values of a judgment: slot key → choice, and True for a mark that was set."""
    values: dict[str, Any] = {key: reading.value for key, reading in readings.items() if reading.value is not None}
    for slot in scheme.slots(shape):
        if slot.forced_key in values and values.pop(slot.forced_key) == "yes":
            values[slot.forced_key] = True
    return values


def _settled(
    scheme: Scheme, slot: Slot, readings: Mapping[str, LabelReading], values: Mapping[str, Any]
) -> LabelReading:
    reading = readings[slot.key]
    is_shown = _holds(scheme, slot, "shown_when", readings, values)
    if is_shown is None:
        return reading
    if isinstance(is_shown, Unread):
        return replace(reading, value=None, failure=reading.failure or is_shown)
    if not is_shown:
        return replace(reading, value=None, failure=None)
    is_required = slot.aspect.required and slot.aspect.required_when is None
    if slot.aspect.required_when is not None:
        is_required = _holds(scheme, slot, "required_when", readings, values) is True
    if reading.is_not_applicable and is_required:
        return replace(reading, failure=Unread.OUT_OF_SCALE)
    return reading


def _holds(
    scheme: Scheme, slot: Slot, name: str, readings: Mapping[str, LabelReading], values: Mapping[str, Any]
) -> bool | Unread | None:
    """Whether a condition holds; None when it asks for something that is not there, UNDECIDED when for a failure."""
    condition = getattr(slot.aspect, name)
    if condition is None:
        return name == "shown_when"
    for key in condition.asked:
        of_candidate = f"{key}.{slot.candidate}"
        asked = readings.get(of_candidate) if slot.candidate and of_candidate in readings else readings.get(key)
        if asked is None:
            return None
        if asked.failure is not None:
            return Unread.UNDECIDED
    return scheme.holds(slot, name, values)
