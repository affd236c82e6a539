"""What a run keeps under keys, in the words that a page says it in: what it counted, and could not read.

The words stand here in English; the functions say them in the active language.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext

from annotation_platform.accounts.language import why_in_language
from annotation_platform.core.reasons import gettext_noop as _
from annotation_platform.scoring.models import Score

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

COUNTED: Mapping[str, str] = {
    "judgments": _("Judgments"),
    "without_explanation": _("Without an explanation"),
    "read": _("Read"),
    "read_by": _("Read by"),
    "unread": _("Not read"),
    "unread_replies": _("Replies not read"),
    "sources": _("Where the values come from"),
    "sent": _("Sent to the language model"),
    "rescaler": _("Rescaler"),
    "sha256": _("SHA-256"),
    "labels": _("Labels"),
    "failure_rate": _("Share not read"),
    "fitted_on": _("Fitted on the study"),
    "answers": _("Judgments of answers"),
    "questions": _("Questions"),
    "rationales": _("Rationales"),
    "mean": _("Mean"),
    "mean_undefined_because": _("Mean not defined"),
    "weights": _("Weight"),
    "value": _("value"),
    "low": _("95 % interval from"),
    "high": _("95 % interval to"),
    "no_interval_because": _("no interval"),
    "unit": _("What is resampled and held out as a whole"),
    "units": _("How many of these"),
    "held_out_r": _("Pearson r on what was held out"),
    "held_out_low": _("95 % interval of r from"),
    "held_out_high": _("95 % interval of r to"),
    "held_out_no_interval_because": _("no interval of r"),
    "held_out_answers": _("Judgments of answers held out"),
    "held_out_questions": _("Questions held out"),
    "held_out_units": _("Of these held out"),
    "held_out_undefined_because": _("Pearson r not defined"),
    "signature": _("Signature"),
    "compared_with": _("ROUGE compares with"),
    "language_model": _("Model of perplexity and BERTScore"),
    "left_out_because": _("Left out"),
    "verdicts": _("Verdicts"),
    "equivalent": _("as right as a reference"),
    "not_equivalent": _("not as right"),
    "without_reference_answers": _("without reference answers"),
    "rules": _("Rules"),
    "aliases": _("aliases"),
    "numbers": _("numbers"),
    "fewer_details": _("fewer details"),
    "more_details": _("more details"),
    "meaning": _("meaning"),
    "irrelevant": _("irrelevant"),
    "other_possible": _("other possible"),
    "baselines": _("Baselines"),
    "there is no rationale": _("there is no rationale"),
    "the answer is blank": _("the answer is blank"),
    "there is no other answer to choose": _("there is no other answer to choose"),
    "no answer is known to be right": _("no answer is known to be right"),
    "it is longer than the evaluator reads": _("it is longer than the evaluator reads"),
}
SOURCES: Mapping[str, "StrOrPromise"] = dict(Score.Source.choices)
READERS: Mapping[str, str] = {
    "rules": _("rules"),
    "second_reading": _("the model, in a second reading"),
    "person": _("a person"),
    "language model": _("the language model"),
    "rescaler": _("the rescaler"),
}
NO_REPLY = "no_reply"
NOT_APPLICABLE, TIE = "not_applicable", "tie"
"""Why replies that could be read give no label."""
UNREAD: Mapping[str, str] = {
    NO_REPLY: _("no reply"),
    "empty": _("the reply is empty"),
    "refusal": _("the model will not score"),
    "no_score": _("the reply has no score"),
    "out_of_range": _("the score is not from 0 to 100"),
    "other_scale": _("the score is on another scale"),
    "ambiguous": _("the reply can be read in several ways"),
    "separate_scores": _("several scores for parts"),
    "missing": _("the reply has no label"),
    "refused": _("the model will not judge"),
    "out_of_scale": _("the label is not one of the aspect's"),
    "cut": _("the reply was cut at its longest length"),
    "filtered": _("the server's filter took something out"),
    "declined": _("the model declined to answer"),
    "undecided": _("hangs on an aspect that could not be read"),
    "part_unread": _("a part is unread"),
    TIE: _("the votes are tied"),
    NOT_APPLICABLE: _("not applicable"),
}
INNER: Mapping[str, Mapping[str, "StrOrPromise"]] = {
    "sources": SOURCES,
    "read_by": READERS,
    "unread": UNREAD,
    "unread_replies": UNREAD,
}
VARIANTS: Mapping[str, str] = {
    "simple": _("simple"),
    "shuffled": _("shuffled"),
    "paraphrased": _("paraphrased"),
    "verbose": _("verbose"),
    "repeated": _("repeated"),
    "swapped": _("swapped"),
    "verbatim": _("verbatim"),
}
SAID = frozenset(
    {
        _("article"),
        _("question"),
        _("the answers that people rated best"),
    }
)
"""Values that are words of ours."""


def unread_in_words(reason: str) -> str:
    """Why nothing was read of a reply: a code of ours, or what a server said, as it is."""
    return gettext(UNREAD[reason]) if reason in UNREAD else reason


def variant_in_words(variant: str) -> str:
    """A kind of prompt that a model's labels were asked for by."""
    return gettext(VARIANTS[variant]) if variant in VARIANTS else variant


def counts_in_words(counts: Any, titles: Mapping[str, str]) -> list[tuple[str, Any]]:
    """Nested counts as lines of words and a number; those that are none are left out."""
    if not isinstance(counts, dict):
        return [("", counts)]
    found: list[tuple[str, Any]] = []
    for name, value in counts.items():
        words = gettext(COUNTED[name]) if name in COUNTED else titles.get(name) or name.replace("_", " ")
        if isinstance(value, dict):
            inner = INNER.get(name)
            lines = (
                [(gettext(str(inner[key])) if key in inner else key, number) for key, number in value.items() if number]
                if inner
                else counts_in_words(value, titles)
            )
            found += [(_told(words, each), number) for each, number in lines]
        elif value is not None:
            found.append((words, why_in_language(value) if name.endswith("_because") else _written(value)))
    return found


def _told(words: str, inner: str) -> str:
    return gettext("%(words)s: %(inner)s") % {"words": words, "inner": inner} if inner else words


def _written(value: Any) -> Any:
    if isinstance(value, float):
        return f"{value:.4g}"
    return gettext(value) if isinstance(value, str) and value in SAID else value
