"""What a run keeps under keys, in the words that a page says it in: what it counted, and could not read."""

from collections.abc import Mapping
from typing import Any

from annotation_platform.scoring.models import Score

COUNTED: Mapping[str, str] = {
    "judgments": "Judgments",
    "without_explanation": "Without an explanation",
    "read": "Read",
    "read_by": "Read by",
    "unread": "Not read",
    "unread_replies": "Replies not read",
    "sources": "Where the values come from",
    "sent": "Sent to the language model",
    "rescaler": "Rescaler",
    "sha256": "SHA-256",
    "labels": "Labels",
    "failure_rate": "Share not read",
    "fitted_on": "Fitted on the study",
    "answers": "Answers",
    "questions": "Questions",
    "rationales": "Rationales",
    "mean": "Mean",
    "weights": "Weight",
    "value": "value",
    "low": "95 % interval from",
    "high": "95 % interval to",
    "no_interval_because": "no interval",
    "unit": "What is resampled and held out as a whole",
    "units": "How many of these",
    "held_out_r": "Pearson r on what was held out",
    "held_out_low": "95 % interval of r from",
    "held_out_high": "95 % interval of r to",
    "held_out_no_interval_because": "no interval of r",
    "held_out_answers": "Answers held out",
    "held_out_questions": "Questions held out",
    "held_out_units": "Of these held out",
    "held_out_undefined_because": "Pearson r not defined",
    "signature": "Signature",
    "compared_with": "ROUGE compares with",
    "language_model": "Model of perplexity and BERTScore",
    "left_out_because": "Left out",
    "verdicts": "Verdicts",
    "equivalent": "as right as a reference",
    "not_equivalent": "not as right",
    "without_reference_answers": "without reference answers",
    "rules": "Rules",
}
SOURCES: Mapping[str, str] = dict(Score.Source.choices)
READERS: Mapping[str, str] = {
    "rules": "rules",
    "second_reading": "the model, in a second reading",
    "person": "a person",
    "language model": "the language model",
    "rescaler": "the rescaler",
}
NO_REPLY = "no_reply"
UNREAD: Mapping[str, str] = {
    NO_REPLY: "no reply",
    "empty": "the reply is empty",
    "refusal": "the model will not score",
    "no_score": "the reply has no score",
    "out_of_range": "the score is not from 0 to 100",
    "other_scale": "the score is on another scale",
    "ambiguous": "the reply can be read in several ways",
    "separate_scores": "several scores for parts",
    "missing": "the reply has no label",
    "refused": "the model will not judge",
    "out_of_scale": "the label is not one of the aspect's",
    "cut": "the reply was cut at its longest length",
    "filtered": "the server's filter took something out",
    "declined": "the model declined to answer",
    "undecided": "hangs on an aspect that could not be read",
}
INNER: Mapping[str, Mapping[str, str]] = {
    "sources": SOURCES,
    "read_by": READERS,
    "unread": UNREAD,
    "unread_replies": UNREAD,
}


def unread_in_words(reason: str) -> str:
    """Why nothing was read of a reply: a code of ours, or what a server said, as it is."""
    return UNREAD.get(reason, reason)


def counts_in_words(counts: Any, titles: Mapping[str, str]) -> list[tuple[str, Any]]:
    """Nested counts as lines of words and a number; those that are none are left out."""
    if not isinstance(counts, dict):
        return [("", counts)]
    found: list[tuple[str, Any]] = []
    for name, value in counts.items():
        words = COUNTED.get(name) or titles.get(name) or name.replace("_", " ")
        if isinstance(value, dict):
            inner = INNER.get(name)
            lines = (
                [(inner.get(key, key), number) for key, number in value.items() if number]
                if inner
                else counts_in_words(value, titles)
            )
            found += [(f"{words}: {each}" if each else words, number) for each, number in lines]
        elif value is not None:
            found.append((words, f"{value:.4g}" if isinstance(value, float) else value))
    return found
