"""Conditions: when an aspect is shown, required, or needs a sentence, by what was said above it.

In a file a condition is one of::

    {aspect: correct, is: "no"}                  one of these choices (several: is: [a, b])
    {aspect: correct, is_not: [na]}              answered, with none of these
    {aspect: completeness, at_most: 30}          a number on the scale; also at_least
    {aspect: reasons, answered: true}            anything was said; false: nothing was
    {all: [...]}   {any: [...]}   {not: ...}     of other conditions

:meth:`Condition.plain` turns it into the few forms that pages understand too (``is``, ``answered``, ``all``,
``any``, ``not``), and :func:`holds` is the one definition of what these mean; static/conditions.js says the same in
the browser.
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, ConfigDict, Field, JsonValue, model_validator

from annotation_platform.core.locations import Location
from annotation_platform.core.reasons import Reason
from annotation_platform.core.schemes.mistakes import Mistake, did_you_mean, refuse, there_are
from annotation_platform.core.schemes.scales import Frozen, Key, Point

NONE = "none"


def _as_list(value: Any) -> Any:
    return value if isinstance(value, list | tuple) else [value]


_Several = Annotated[tuple[Point, ...], Field(min_length=1)]
Points = Annotated[_Several, BeforeValidator(_as_list, json_schema_input_type=Point | _Several)]

_FORMS: list[JsonValue] = [
    {"required": ["aspect", "is"]},
    {"required": ["aspect", "is_not"]},
    {"required": ["aspect"], "anyOf": [{"required": ["at_least"]}, {"required": ["at_most"]}]},
    {"required": ["aspect", "answered"]},
    {"required": ["all"]},
    {"required": ["any"]},
    {"required": ["not"]},
]


class Condition(Frozen):
    """When something holds, by what was said to the aspects above. Exactly one form is given."""

    model_config = ConfigDict(json_schema_extra={"oneOf": _FORMS})

    aspect: Key | None = None
    """The key of an aspect above this one."""
    is_: Points | None = Field(default=None, alias="is")
    """This choice, or one of these; none is the explicit answer "none"."""
    is_not: Points | None = None
    """Answered, with none of these choices."""
    at_least: float | None = Field(default=None, allow_inf_nan=False)
    """A choice whose number is this or more."""
    at_most: float | None = Field(default=None, allow_inf_nan=False)
    """A choice whose number is this or less."""
    answered: bool | None = None
    """True: anything was said. False: nothing was."""
    all_: tuple["Condition", ...] | None = Field(default=None, alias="all", min_length=1)
    """All of these conditions hold."""
    any_: tuple["Condition", ...] | None = Field(default=None, alias="any", min_length=1)
    """One of these conditions holds."""
    not_: "Condition | None" = Field(default=None, alias="not")
    """This condition does not hold."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        nested = [self.all_, self.any_, self.not_]
        bounds = self.at_least is not None or self.at_most is not None
        about = [self.is_ is not None, self.is_not is not None, bounds, self.answered is not None]
        if self.aspect is None:
            if sum(part is not None for part in nested) != 1 or any(about):
                refuse([((), Reason("scheme.condition_about_nothing"))])
        elif sum(about) != 1 or any(part is not None for part in nested):
            refuse([((), Reason("scheme.condition_unclear"))])
        return self

    def parts_about_aspects(self) -> Iterator[tuple[Location, "Condition"]]:
        """The conditions on single aspects that this one is made of, with their locations in it."""
        if self.aspect is not None:
            yield (), self
        for name, parts in (("all", self.all_), ("any", self.any_)):
            for index, part in enumerate(parts or ()):
                yield from (((name, index, *inner), leaf) for inner, leaf in part.parts_about_aspects())
        if self.not_ is not None:
            yield from ((("not", *inner), leaf) for inner, leaf in self.not_.parts_about_aspects())

    @property
    def asked(self) -> frozenset[str]:
        """The keys of the aspects that the condition asks for."""
        return frozenset(part.aspect or "" for _, part in self.parts_about_aspects())

    def mistakes(self, points: Mapping[str, float | None] | None) -> Iterator[Mistake]:
        """What a condition on a single aspect asks for that the aspect does not have; points as in :meth:`plain`."""
        if (self.at_least is not None or self.at_most is not None) and not self._between(points):
            numbers = [f"{number:g}" for number in (points or {}).values() if number is not None]
            form = "at_most" if self.at_least is None else "at_least"
            yield (form,), Reason("scheme.no_such_number", key=self.aspect, hint=there_are(numbers))
        for form, wanted in (("is", self.is_), ("is_not", self.is_not)):
            for index, key in enumerate(wanted or ()):
                if points is not None and key not in points:
                    hint = did_you_mean(key, list(points))
                    yield (form, index), Reason("scheme.no_such_choice", key=self.aspect, choice=key, hint=hint)

    def plain(self, points: Mapping[str, Mapping[str, float | None] | None]) -> dict[str, Any]:
        """The condition in its few plain forms.

        Parameters
        ----------
        points : mapping of aspect key to (mapping of choice key to number, or None)
            What can be said to each aspect; None where that depends on the item.
        """
        if self.all_ is not None:
            return {"all": [part.plain(points) for part in self.all_]}
        if self.any_ is not None:
            return {"any": [part.plain(points) for part in self.any_]}
        if self.not_ is not None:
            return {"not": self.not_.plain(points)}
        assert self.aspect is not None  # see _check
        if self.answered is not None:
            answered = {"aspect": self.aspect, "answered": True}
            return answered if self.answered else {"not": answered}
        if self.at_least is not None or self.at_most is not None:
            return {"aspect": self.aspect, "is": self._between(points[self.aspect])}
        is_one = {"aspect": self.aspect, "is": list(self.is_ or self.is_not or ())}
        if self.is_ is not None:
            return is_one
        return {"all": [{"aspect": self.aspect, "answered": True}, {"not": is_one}]}

    def _between(self, numbers: Mapping[str, float | None] | None) -> list[str]:
        low = float("-inf") if self.at_least is None else self.at_least
        high = float("inf") if self.at_most is None else self.at_most
        return [key for key, number in (numbers or {}).items() if number is not None and low <= number <= high]


def holds(plain: Mapping[str, Any], values: Mapping[str, Any]) -> bool:
    """Whether a plain condition holds for what was said to the aspects shown.

    A value is a choice's key, a text, or a list (sentences, several choices, marked spans, which count as their
    labels), whose empty form is the explicit "none" and counts as the choice ``none``. What was not said is absent,
    None or an empty text.
    """
    if "all" in plain:
        return all(holds(part, values) for part in plain["all"])
    if "any" in plain:
        return any(holds(part, values) for part in plain["any"])
    if "not" in plain:
        return not holds(plain["not"], values)
    value = values.get(plain["aspect"])
    said = ([*value] or [NONE]) if isinstance(value, list | tuple) else [] if value in (None, "") else [value]
    if "answered" in plain:
        return bool(said)
    return any((each.get("label") if isinstance(each, Mapping) else each) in plain["is"] for each in said)


def can_hold(plain: Mapping[str, Any], known: Mapping[str, Any]) -> bool:
    """Whether a plain condition could hold when only some of what was said is known.

    Parameters
    ----------
    known
        Aspect → what was said to it, None for nothing. Anything could have been said to aspects that are not in it.

    Examples
    --------
    >>> yes = {"aspect": "correct", "is": ["yes"]}
    >>> can_hold(yes, {}), can_hold(yes, {"correct": "no"}), can_hold({"not": yes}, {"correct": "no"})
    (True, False, True)
    """
    return True in _truths(plain, known)


def _truths(plain: Mapping[str, Any], known: Mapping[str, Any]) -> set[bool]:
    """What a condition can come to."""
    if "not" in plain:
        return {not each for each in _truths(plain["not"], known)}
    if (whole := "all" in plain) or "any" in plain:
        parts = [_truths(part, known) for part in plain["all" if whole else "any"]]
        decided_by_one = {not whole} if any((not whole) in part for part in parts) else set()
        return decided_by_one | ({whole} if all(whole in part for part in parts) else set())
    return {holds(plain, known)} if plain["aspect"] in known else {True, False}
