"""The rules that hold between the parts of a scheme. Each check yields its mistakes with their locations."""

from collections.abc import Iterator, Mapping, Sequence

from annotation_platform.core.locations import Location
from annotation_platform.core.reasons import Reason
from annotation_platform.core.schemes.aspects import (
    CANNOT_JUDGE,
    CONDITIONS,
    Aspect,
    BestOfAspect,
    ItemChoiceAspect,
    LabelledAspect,
    RatedAspect,
    SentencesAspect,
    SpansAspect,
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
            yield (*here, "key"), Reason("scheme.aspect_key_twice", key=aspect.key)
        if has_cannot_judge and aspect.key == CANNOT_JUDGE:
            yield (*here, "key"), Reason("scheme.key_of_cannot_judge", key=CANNOT_JUDGE)
        for location, reason in (*_aspect(shown, aspect), *_conditions(aspect, earlier)):
            yield (*here, *location), reason
        earlier[aspect.key] = aspect
    yield from _group_stands_together(aspects)
    yield from _cited_and_marked(aspects)
    yield from _explanations(aspects, earlier)
    yield from _rescalings(rescalings, earlier)
    yield from _composites(composites, earlier)


def _shown(shown: Sequence[Part]) -> Iterator[Mistake]:
    for index, part in enumerate(shown):
        if part in shown[:index]:
            yield ("shown", index), Reason("scheme.shown_twice", part=part)
        if part in ("answer", "rationale") and "candidates" in shown:
            yield ("shown", index), Reason("scheme.beside_candidates", part=part)


def _aspect(shown: Sequence[Part], aspect: Aspect) -> Iterator[Mistake]:
    needs = (
        *_needed_to_cite(aspect),
        ("kind", isinstance(aspect, ItemChoiceAspect), ("choices",)),
        ("kind", isinstance(aspect, BestOfAspect), ("candidates",)),
        ("per", aspect.per == "candidate", ("candidates",)),
    )
    for name, is_needed, parts in needs:
        if is_needed and not any(part in shown for part in parts):
            yield (name,), _part_needed(shown, *parts)
    if isinstance(aspect, SpansAspect):
        yield from _marked(shown, aspect)
    if isinstance(aspect, BestOfAspect) and aspect.per == "candidate":
        yield ("per",), Reason("scheme.best_per_candidate")
    if aspect.required_when and "required" in aspect.model_fields_set:
        yield ("required",), Reason("scheme.required_twice")


def _needed_to_cite(aspect: Aspect) -> Iterator[tuple[str, bool, tuple[Part, ...]]]:
    """Where sentences are cited, there are texts; the conversation begins with the question, so that is shown, too."""
    if isinstance(aspect, SentencesAspect):
        where = "cites" if "cites" in aspect.model_fields_set else "kind"
        yield where, "documents" in aspect.cites, ("article", "documents")
        yield where, "conversation" in aspect.cites, ("question",)


def _marked(shown: Sequence[Part], aspect: SpansAspect) -> Iterator[Mistake]:
    """A mark needs its text on the page, and of each candidate only its answer can be marked."""
    for index, part in enumerate(aspect.marks):
        if aspect.per == "candidate":
            if part != "answer":
                yield ("marks", index), Reason("scheme.marked_per_candidate", part=part)
        elif part == "answer" and "candidates" in shown:
            yield ("marks", index), Reason("scheme.marks_candidates")
        elif part not in shown:
            yield ("marks", index), _part_needed(shown, part)


def _part_needed(shown: Sequence[Part], part: str, other: str = "") -> Reason:
    if other:
        return Reason("scheme.needs_either_part", part=part, other=other, shown=list(shown))
    return Reason("scheme.needs_part", part=part, shown=list(shown))


def _conditions(aspect: Aspect, earlier: Mapping[str, Aspect]) -> Iterator[Mistake]:
    for name in CONDITIONS:
        condition: Condition | None = getattr(aspect, name, None)
        for location, part in condition.parts_about_aspects() if condition else ():
            for inner, reason in _condition(aspect, part, earlier):
                yield (name, *location, *inner), reason


def _condition(aspect: Aspect, part: Condition, earlier: Mapping[str, Aspect]) -> Iterator[Mistake]:
    key = part.aspect or ""
    if key not in earlier:
        yield ("aspect",), Reason("scheme.asks_for_none_above", key=key, hint=did_you_mean(key, list(earlier)))
        return
    if earlier[key].per == "candidate" and aspect.per == "item":
        yield ("aspect",), Reason("scheme.asks_for_candidates", key=key)
        return
    yield from part.mistakes(points_of(earlier[key]))


def _cited_and_marked(aspects: Sequence[Aspect]) -> Iterator[Mistake]:
    """A text whose words are marked stands there as one, and not turn by turn."""
    marked = {part for aspect in aspects if isinstance(aspect, SpansAspect) for part in aspect.marks}
    for index, aspect in enumerate(aspects):
        if isinstance(aspect, SentencesAspect) and "conversation" in aspect.cites:
            for part in sorted(marked & {"question", "answer"}):
                yield ("aspects", index, "cites"), Reason("scheme.cited_and_marked", part=part)


def _group_stands_together(aspects: Sequence[Aspect]) -> Iterator[Mistake]:
    """Aspects per candidate are asked candidate by candidate, so nothing can stand between them."""
    has_ended = False
    for index, aspect in enumerate(aspects):
        if aspect.per == "candidate" and has_ended:
            yield ("aspects", index, "per"), Reason("scheme.group_apart")
        has_ended = has_ended or (aspect.per == "item" and index > 0 and aspects[index - 1].per == "candidate")


def _explanations(aspects: Sequence[Aspect], by_key: Mapping[str, Aspect]) -> Iterator[Mistake]:
    labelled = [key for key, aspect in by_key.items() if isinstance(aspect, LabelledAspect)]
    for index, text in enumerate(aspects):
        for place, key in enumerate(getattr(text, "explains", ())):
            if key not in labelled:
                reason = Reason("scheme.no_labels", key=key, hint=did_you_mean(key, labelled))
                yield ("aspects", index, "explains", place), reason


def _rescalings(rescalings: Sequence[Rescaling], aspects: Mapping[str, Aspect]) -> Iterator[Mistake]:
    for index, rescaling in enumerate(rescalings):
        rated, explanation = aspects.get(rescaling.aspect), aspects.get(rescaling.explained_by)
        of, by = ("rescale", index, "aspect"), ("rescale", index, "explained_by")
        if not isinstance(rated, RatedAspect) or rated.scale.level is Level.NOMINAL:
            yield of, Reason("scheme.no_ordered_scale", key=rescaling.aspect)
        elif rated.scale.better is None:
            yield of, Reason("scheme.scale_without_better", key=rescaling.aspect)
        elif rated.per == "candidate":
            yield of, Reason("scheme.rescaled_per_candidate", key=rescaling.aspect)
        if rescaling.aspect in (other.aspect for other in rescalings[:index]):
            yield of, Reason("scheme.rescaled_already", key=rescaling.aspect)
        if not isinstance(explanation, TextAspect):
            yield by, Reason("scheme.no_text_aspect", key=rescaling.explained_by)
        elif explanation.per == "candidate":
            yield by, Reason("scheme.explained_per_candidate", key=rescaling.explained_by)


def _composites(composites: Sequence[Composite], aspects: Mapping[str, Aspect]) -> Iterator[Mistake]:
    for index, composite in enumerate(composites):
        here = ("composites", index)
        if composite.key in (other.key for other in composites[:index]):
            yield (*here, "key"), Reason("scheme.composite_key_twice", key=composite.key)
        named: list[tuple[Location, str]] = [(("parts", place), key) for place, key in enumerate(composite.parts)]
        named.append((("predicts",), composite.predicts))
        for location, key in named:
            aspect = aspects.get(key)
            if not isinstance(aspect, RatedAspect) or not aspect.scale.is_ordered_by_worth:
                yield (*here, *location), Reason("scheme.not_rated", key=key)
        if composite.predicts in composite.parts:
            yield (*here, "predicts"), Reason("scheme.predicts_itself", key=composite.predicts)
        if len({aspects[key].per for _, key in named if key in aspects}) > 1:
            yield here, Reason("scheme.mixes_units")
