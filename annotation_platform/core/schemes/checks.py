"""The rules that hold between the parts of a scheme. Each check yields its mistakes with their locations."""

from collections.abc import Iterator, Mapping, Sequence

from annotation_platform.core.locations import Location
from annotation_platform.core.schemes.aspects import (
    CANNOT_JUDGE,
    CONDITIONS,
    Aspect,
    BestOfAspect,
    ItemChoiceAspect,
    LabelledAspect,
    RatedAspect,
    SentencesAspect,
    TextAspect,
    points_of,
)
from annotation_platform.core.schemes.conditions import Condition
from annotation_platform.core.schemes.mistakes import Mistake, did_you_mean
from annotation_platform.core.schemes.parts import Composite, Part, Rescaling
from annotation_platform.core.schemes.scales import Level


def mistakes_between_parts(
    *,
    shown: Sequence[Part],
    aspects: Sequence[Aspect],
    rescalings: Sequence[Rescaling],
    composites: Sequence[Composite],
    has_cannot_judge: bool,
) -> Iterator[Mistake]:
    """Everything in a scheme that contradicts something else in it."""
    yield from _shown(shown)
    earlier: dict[str, Aspect] = {}
    for index, aspect in enumerate(aspects):
        here = ("aspects", index)
        if aspect.key in earlier:
            yield (*here, "key"), f"an aspect above has the key {aspect.key!r} already"
        if has_cannot_judge and aspect.key == CANNOT_JUDGE:
            yield (*here, "key"), f"the key {CANNOT_JUDGE!r} is taken by the answer of that name"
        for location, reason in (*_aspect(shown, aspect), *_conditions(aspect, earlier)):
            yield (*here, *location), reason
        earlier[aspect.key] = aspect
    yield from _group_stands_together(aspects)
    yield from _explanations(aspects, earlier)
    yield from _rescalings(rescalings, earlier)
    yield from _composites(composites, earlier)


def _shown(shown: Sequence[Part]) -> Iterator[Mistake]:
    for index, part in enumerate(shown):
        if part in shown[:index]:
            yield ("shown", index), f"{part!r} is there twice"
        if part in ("answer", "rationale") and "candidates" in shown:
            yield ("shown", index), f"'candidates' are the answers; leave out {part!r}"


def _aspect(shown: Sequence[Part], aspect: Aspect) -> Iterator[Mistake]:
    needs = (
        ("kind", isinstance(aspect, SentencesAspect), ("article", "documents")),
        ("kind", isinstance(aspect, ItemChoiceAspect), ("choices",)),
        ("kind", isinstance(aspect, BestOfAspect), ("candidates",)),
        ("per", aspect.per == "candidate", ("candidates",)),
    )
    for name, is_needed, parts in needs:
        if is_needed and not any(part in shown for part in parts):
            yield (name,), f"needs {' or '.join(parts)} in 'shown', which has {', '.join(shown)}"
    if isinstance(aspect, BestOfAspect) and aspect.per == "candidate":
        yield ("per",), "a choice among the candidates cannot be asked per candidate"
    if aspect.required_when and "required" in aspect.model_fields_set:
        yield ("required",), "give 'required' or 'required_when', not both"


def _conditions(aspect: Aspect, earlier: Mapping[str, Aspect]) -> Iterator[Mistake]:
    for name in CONDITIONS:
        condition: Condition | None = getattr(aspect, name, None)
        for location, part in condition.parts_about_aspects() if condition else ():
            for inner, reason in _condition(aspect, part, earlier):
                yield (name, *location, *inner), reason


def _condition(aspect: Aspect, part: Condition, earlier: Mapping[str, Aspect]) -> Iterator[Mistake]:
    key = part.aspect or ""
    if key not in earlier:
        yield ("aspect",), f"asks for {key!r}, which is no aspect above this one; {did_you_mean(key, list(earlier))}"
        return
    if earlier[key].per == "candidate" and aspect.per == "item":
        yield ("aspect",), f"asks for {key!r}, which is asked per candidate, and this aspect is not"
        return
    yield from part.mistakes(points_of(earlier[key]))


def _group_stands_together(aspects: Sequence[Aspect]) -> Iterator[Mistake]:
    """Aspects per candidate are asked candidate by candidate, so nothing can stand between them."""
    has_ended = False
    for index, aspect in enumerate(aspects):
        if aspect.per == "candidate" and has_ended:
            yield ("aspects", index, "per"), "the aspects asked per candidate must stand together"
        has_ended = has_ended or (aspect.per == "item" and index > 0 and aspects[index - 1].per == "candidate")


def _explanations(aspects: Sequence[Aspect], by_key: Mapping[str, Aspect]) -> Iterator[Mistake]:
    labelled = [key for key, aspect in by_key.items() if isinstance(aspect, LabelledAspect)]
    for index, text in enumerate(aspects):
        for place, key in enumerate(getattr(text, "explains", ())):
            if key not in labelled:
                reason = f"{key!r} is no aspect with labels; {did_you_mean(key, labelled)}"
                yield ("aspects", index, "explains", place), reason


def _rescalings(rescalings: Sequence[Rescaling], aspects: Mapping[str, Aspect]) -> Iterator[Mistake]:
    for index, rescaling in enumerate(rescalings):
        rated, explanation = aspects.get(rescaling.aspect), aspects.get(rescaling.explained_by)
        of, by = ("rescale", index, "aspect"), ("rescale", index, "explained_by")
        if not isinstance(rated, RatedAspect) or rated.scale.level is Level.NOMINAL:
            yield of, f"{rescaling.aspect!r} is no aspect with an ordered scale"
        elif rated.scale.better is None:
            yield of, f"the scale of {rescaling.aspect!r} must say which end is better"
        elif rated.per == "candidate":
            yield of, f"{rescaling.aspect!r} is asked per candidate; only aspects of the item as a whole are rescaled"
        if rescaling.aspect in (other.aspect for other in rescalings[:index]):
            yield of, f"{rescaling.aspect!r} is rescaled already"
        if not isinstance(explanation, TextAspect):
            yield by, f"{rescaling.explained_by!r} is no text aspect"
        elif explanation.per == "candidate":
            yield by, f"{rescaling.explained_by!r} is asked per candidate; it must be about the item as a whole"


def _composites(composites: Sequence[Composite], aspects: Mapping[str, Aspect]) -> Iterator[Mistake]:
    for index, composite in enumerate(composites):
        here = ("composites", index)
        if composite.key in (other.key for other in composites[:index]):
            yield (*here, "key"), f"a composite above has the key {composite.key!r} already"
        named: list[tuple[Location, str]] = [(("parts", place), key) for place, key in enumerate(composite.parts)]
        named.append((("predicts",), composite.predicts))
        for location, key in named:
            aspect = aspects.get(key)
            if not isinstance(aspect, RatedAspect) or not aspect.scale.is_ordered_by_worth:
                yield (*here, *location), f"{key!r} is no rated aspect that says what is better"
        if composite.predicts in composite.parts:
            yield (*here, "predicts"), f"{composite.predicts!r} is one of its own parts"
        if len({aspects[key].per for _, key in named if key in aspects}) > 1:
            yield here, "mixes aspects of the item with aspects asked per candidate"
