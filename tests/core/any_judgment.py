"""A judgment that a scheme accepts, whatever the scheme asks for."""

from random import Random
from typing import Any

from annotation_platform.core.schemes import InvalidJudgmentError, ItemShape, Scheme, check_judgment
from annotation_platform.core.schemes.definition import Slot

TRIES = 60


def accepted(scheme: Scheme, raw: dict[str, Any], shape: ItemShape, random: Random) -> dict[str, Any] | None:
    """The judgment with what the check refuses put right, by leaving it out or answering it; None if that fails."""
    for _ in range(TRIES):
        try:
            return check_judgment(scheme, raw, shape)
        except InvalidJudgmentError as error:
            raw = {key: value for key, value in raw.items() if key not in error.errors}
            refused = [slot for slot in scheme.slots(shape) if slot.key in error.errors]
            raw |= {slot.key: _answer(slot, shape, random) for slot in refused if random.random() < 0.9}
    return None


def _answer(slot: Slot, shape: ItemShape, random: Random) -> Any:
    aspect = slot.aspect
    match aspect.kind:
        case "text":
            return random.choice(["good", "bad", "はい"])
        case "sentences":
            cited = range(1, shape.sentences + 1)
            return random.sample(cited, k=random.randint(0, min(2, len(cited)))) or "none"
        case "several":
            keys = [choice.key for choice in aspect.choices]
            return random.sample(keys, k=random.randint(1, len(keys)))
        case "item_choice":
            return random.choice("abcdefghijklmnopqrstuvwxyz"[: shape.choices])
        case "best_of":
            return random.choice(aspect.keys(shape.candidates))
        case _:
            return random.choice([choice.key for choice in aspect.scale.choices])
