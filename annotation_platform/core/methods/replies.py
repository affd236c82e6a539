"""Read a score from 0 to 100 in a language model's reply.

Models asked for a number answer with "Score: 20", "100 (The answer …)", "**85/100**", an essay, two numbers
or an apology. `read_score` takes the number where a person would have no doubt, and otherwise says why there
is none: a judgment without a score falls back on the annotator's mean, which is better than a misread number.
"""

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum


class Unread(StrEnum):
    """Why a reply has no score."""

    EMPTY = "empty"
    REFUSAL = "refusal"
    NO_SCORE = "no_score"
    OUT_OF_RANGE = "out_of_range"
    OTHER_SCALE = "other_scale"
    AMBIGUOUS = "ambiguous"
    SEPARATE_SCORES = "separate_scores"


@dataclass(frozen=True)
class ScoreReading:
    """The score in a reply, or the reason why it has none. Exactly one of the two is None."""

    value: float | None
    reason: Unread | None


_NUMBER = r"(?P<number>[-+]?\d+(?:[.,]\d+)*)(?![0-9A-Za-z_])"
_NAME = r"(?:score|rating|grade)"
_CLOSING = r"[\"')\]]{0,2}\s*"
# A statement of the score by name: Score: 20 · "score": 20 · rating = 20 · Score - 20 · \boxed{20}
_NAMED = re.compile(
    rf"\b(?P<final>(?:final|overall|revised|total)\s+)?{_NAME}{_CLOSING}(?:[:=]+|[-–—](?=\s))\s*[\"'(\[]{{0,2}}"
    rf"(?:about |around |approximately |roughly |~)?{_NUMBER}|\\boxed\{{{_NUMBER.replace('number', 'boxed')}",
    re.IGNORECASE,
)
# The number opens the reply, or is a whole line of it.
_OPENING = re.compile(rf"\A[\"'(\[]?{_NUMBER}")
_OPENING_END = re.compile(
    r"\s*(?:/|out of)\s*\d|\s*(?:%|percent\b|points?\b|点|分)"
    r"|[\"')\]]*\s*(?:\Z|\n|[.!;(\[]|[-–—:]\s|,(?!\s*\d))"
    r"|\s+(?:to|or|and)\s+\d|\s*[-–—]\s*\d"
)
_LINE = re.compile(rf"^[\"'(\[]?{_NUMBER}\s*(?:%|/\s*100|out of 100|points?)?[\"')\].]*$", re.MULTILINE)
# The score in the middle of a sentence: a score of 20 · I would give it 20 · 20 out of 100 · 20/100
_IN_PROSE = re.compile(
    rf"\b{_NAME}\s+(?:(?:is|was|of|at|as|to|would|will|should|be|it|about|around)\s+){{0,4}}{_NUMBER}"
    rf"|\b(?:give|assign|award|rate|say|estimate|deserves?|merits?|worth|scores?)\b(?:\s+(?!not\b)[a-z']+){{0,5}}\s+"
    rf"{_NUMBER.replace('number', 'verb')}"
    rf"|{_NUMBER.replace('number', 'of')}\s*(?:/|out of)\s*\d+",
    re.IGNORECASE,
)
_OTHER_SCALE = re.compile(r"\s*(?:/|out of)\s*(\d+)", re.IGNORECASE)
_RANGE = re.compile(r"\s*(?:-|–|—|to|or|and|\.\.+)\s*\d|\s*\+|\s+for\s+(?:the\s+)?(?:first|second|one|sentence|part)\b")
_LIST = re.compile(r"\A1[.)]\s.*\n\s*2[.)]\s", re.DOTALL)
_PART_SCORE = re.compile(r"\b(?:sentence|part|item|question|point)\s+\d+\s*[:=]\s*\d+", re.IGNORECASE)
_REFERENCE = re.compile(r"\b(?:sentences?|lines?|paragraphs?|numbers?|steps?|nos?\.)\s*\Z", re.IGNORECASE)
_DENIED = re.compile(r"(?:\b(?:not|never|cannot|nor|without|than|instead)|n['’]t)\b[^.;\n]{0,60}\Z", re.IGNORECASE)
_HYPOTHETICAL = re.compile(r"\s*(?:would|could|means?|indicates?|represents?|requires?|if)\b", re.IGNORECASE)
_REFUSAL = re.compile(
    r"\b(?:cannot|can['’]?t|could not|unable|not able|not possible|impossible|decline|refuse|won['’]t|sorry"
    r"|n/a)\b",
    re.IGNORECASE,
)
# Mentions of the scale that hold numbers but no score.
_SCALE = re.compile(
    r"[(\[]?\b(?:on\s+|using\s+)?(?:a\s+|the\s+)?(?:scale\s+(?:of|from)\s+|from\s+|between\s+)?"
    r"0\s*(?:-|–|—|to|and|\.\.+)\s*100\b(?:\s+(?:scale|range))?[)\]]?,?",
    re.IGNORECASE,
)
_WINDOW = 80  # characters of context that can change what a number means
THOUGHT = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_MARKUP = re.compile(r"[*`_#]+|~~|^>\s?", re.MULTILINE)


def read_score(reply: str) -> ScoreReading:
    """Read the score in a model's reply.

    Three kinds of statement are looked for, the plainest first, and the first kind found decides: a score
    given by name ("Score: 70"; "final score" beats others), a number that opens the reply or stands on a line
    of its own, a score within a sentence ("I would give it 70", "70 out of 100"). Statements of one kind that
    differ, ranges ("60-70") and scores for parts of the answer give nothing.

    Parameters
    ----------
    reply : str
        The reply as it came. Markdown, full-width digits and a reasoning model's `<think>` part are seen
        through.

    Returns
    -------
    ScoreReading
        A value in 0..100, or the reason why there is none. Never raises.
    """
    text = THOUGHT.sub("", unicodedata.normalize("NFKC", reply).replace("−", "-"))
    text = _SCALE.sub(" ", _MARKUP.sub("", text)).strip().lstrip(":, ")
    if not text:
        return ScoreReading(None, Unread.EMPTY)
    for statements_in in (_named, _standing_alone, _in_prose):
        readings = statements_in(text)
        if readings:
            return readings[0] if len(set(readings)) == 1 else ScoreReading(None, Unread.AMBIGUOUS)
    if len(_PART_SCORE.findall(text)) > 1:
        return ScoreReading(None, Unread.SEPARATE_SCORES)
    return ScoreReading(None, Unread.REFUSAL if _REFUSAL.search(text) else Unread.NO_SCORE)


def _named(text: str) -> list[ScoreReading]:
    found = list(_NAMED.finditer(text))
    final = [match for match in found if match["final"]]
    return [_judge(match["number"] or match["boxed"], _after(text, match.end())) for match in final or found]


def _standing_alone(text: str) -> list[ScoreReading]:
    found = list(_LINE.finditer(text))
    opening = _OPENING.match(text)
    if opening and not _LIST.match(text) and _OPENING_END.match(text, opening.end()):
        found.append(opening)
    return [_judge(match["number"], _after(text, match.end("number"))) for match in found]


def _in_prose(text: str) -> list[ScoreReading]:
    readings = []
    for match in _IN_PROSE.finditer(text):
        group = next(name for name in ("number", "verb", "of") if match[name])
        start, after = match.start(group), _after(text, match.end(group))
        before = text[max(0, start - _WINDOW) : start]
        if not (_REFERENCE.search(before) or _DENIED.search(before) or _HYPOTHETICAL.match(after)):
            readings.append(_judge(match[group], after))
    return readings


def _after(text: str, end: int) -> str:
    return text[end : end + _WINDOW]


def _judge(number: str, after: str) -> ScoreReading:
    """Whether a number that was stated as the score can be one, given what follows it."""
    other = _OTHER_SCALE.match(after)
    if other and other[1] != "100":
        return ScoreReading(None, Unread.OTHER_SCALE)
    if "," in number or number.count(".") > 1 or (not other and _RANGE.match(after)):
        return ScoreReading(None, Unread.AMBIGUOUS)
    value = float(number)
    if not 0 <= value <= 100:
        return ScoreReading(None, Unread.OUT_OF_RANGE)
    return ScoreReading(value, None)
