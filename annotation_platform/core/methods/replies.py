"""Read a score from 0 to 100 in a language model's reply.

Models asked for a number answer with "Score: 20", "100 (The answer …)", "**85/100**", an essay, two numbers
or an apology. `read_score` takes the number where a person would have no doubt, and otherwise says why there
is none: a judgment without a score falls back on the annotator's mean, which is better than a misread number.
"""

import re
import unicodedata
from collections.abc import Iterator
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


class Shortfall(StrEnum):
    """Why a reply is no answer, whatever it says: nothing is read from it."""

    CUT = "cut"
    """It was at its longest length before it was at its end: "Score: 1" may have become 100."""
    FILTERED = "filtered"
    """The server took out what its filter of contents does not let pass."""
    DECLINED = "declined"
    """The model declined to answer, by the field that the protocol has for that."""


@dataclass(frozen=True)
class ScoreReading:
    """The score in a reply, or the reason why it has none. Exactly one of the two is None."""

    value: float | None
    reason: Unread | None


SCORE_SCHEMA = {
    "type": "object",
    "properties": {"score": {"type": "integer", "minimum": 0, "maximum": 100}},
    "required": ["score"],
    "additionalProperties": False,
}
"""JSON Schema of a reply with a score, for servers with structured output; `read_score` reads what follows it."""

_COUNTED_JA = r"(?:つ(?!星)|個|件|人|名|年|月|文(?!\d)|行|[ ]?割|[かヶ箇]所)"  # after a number of things: no score
_NUMBER = rf"(?P<number>[-+]?\d+(?:[.,]\d+)*)(?![0-9A-Za-z_])(?!{_COUNTED_JA})"
_NAME = r"(?:score|rating|grade)"
_FINAL = r"(?:final|overall|revised|total|corrected)"
_NAME_JA = r"(?:スコアー?|点数|得点|評点|評価点?|採点(?:結果)?)"
_LOOSE_JA = r"(?:答え|回答|結果)"  # as loosely as "Answer:": it may be the answer that was judged
_ABOUT = (
    r"(?:(?:about|around|approximately|approx\.|roughly|maybe|probably|perhaps|nearly|almost)\s+"
    r"|[~≈]\s*|(?:約|およそ|だいたい|大体)\s*)"
)
_SAYING = r"(?:I(?:['’]d|\s+would|['’]ll|\s+will)?\s+(?:say|give\s+it|go\s+with|guess|estimate)\s+(?:an?\s+)?)"
_OPEN = r"[\"'(\[{「『【<]{0,3}"
_CLOSING = r"[\"')\]」』】]{0,2}\s*"
_SCORED = r"(?:(?:this|the)\s+)?(?:answer|response|reply|candidate|output|system|question)"
_ASIDE = (
    r"(?:\s*[(\[][^)\]\n]{0,60}[)\]]|\s+out\s+of\s+100"
    rf"|\s+(?:for|of)\s+{_SCORED}(?:\s+(?:no\.\s*|#)?(?P<place>\d+))?)?"
)
# A statement of the score by name: Score: 20 · "score": 20 · rating = 20 · <score>20 · スコア：20 · \boxed{20}
_NAMED = re.compile(
    rf"(?:(?P<final>\b{_FINAL}\s*{_NAME}|最終(?:的な)?{_NAME_JA})|\b{_NAME}|{_NAME_JA}"
    rf"|(?P<last>\b{_FINAL}\s*(?:answer|verdict)|最終(?:的な)?{_LOOSE_JA})"
    rf"|(?P<loose>\b(?:answer|overall|result|verdict)(?=\s*[:=])|{_LOOSE_JA}))"
    rf"{_CLOSING}{_ASIDE}\s*(?:[:=|]+>?|->|→|[-–—](?=\s)|は、?|(?=[【「]))\s*{_OPEN}{_ABOUT}?(?:a\s+)?{_NUMBER}"
    rf"|\\boxed\{{{_NUMBER.replace('number', 'boxed')}"
    rf"|<(?P<tag>(?:final_?)?(?:score|rating|grade|answer|result))>\s*{_NUMBER.replace('number', 'tagged')}"
    rf"|\[\[\s*{_NUMBER.replace('number', 'bracketed')}\s*\]\]"
    rf"|\[(?:result|score|rating|answer)\]\s*[:=]?\s*{_NUMBER.replace('number', 'headed')}",
    re.IGNORECASE,
)
_OTHER_FIGURE = re.compile(  # what is scored is not the answer
    r"\b(?:max(?:imum)?|min(?:imum)?|possible|perfect|full|highest|lowest|average|mean|median|best|worst|confidence"
    r"|previous|original|initial)[\s_-]+\Z",
    re.IGNORECASE,
)
_KEYED = re.compile(r"\w[\"']\s*:")  # as in JSON, whose order says nothing
_OTHER_NAME = re.compile(r"rating|grade|評価|採点", re.IGNORECASE)  # than the prompts have
# The number opens the reply, or is a whole line of it.
_OPENING = re.compile(rf"\A{_OPEN}{_ABOUT}?{_NUMBER}", re.IGNORECASE)
_UNIT = r"\s*(?:%|percent\b|points?\b|点|分|stars?\b|★|⭐)"
_TAKING = r"(?:(?:taken?|knock(?:ed)?|com(?:e|ing))[ ](?:off|away)|deduct(?:ed)?|subtract(?:ed)?|docked)"
# What stands behind points that something cost ("10 points off", "10点を差し引く") and behind a count or a share of
# something else ("2 points are missing", "60% of the facts"). Behind any other words a number is the score.
_COST_JA = (
    r"(?:満点|以上|以下|未満|目|刻み"
    r"|[ ](?:減点|マイナス)(?=[。)\n]|して|\Z)"
    r"|(?:を|が|ほど|だけ|ずつ|分)?(?:減点?|マイナス)(?=[。、)\s]|する|[しさでとらじ]|の\d|\Z)"
    r"|(?:を|が|ほど|だけ|ずつ|分)?(?:差し?引|引[いかきくけこ]|失|低[いくめ]|不足|足り|欠(?!点)|抜|落[とち]|下[げが]|削))"
)
_THINGS_JA = r"の(?:事実|情報|詳細|項目|誤り|間違い|ミス|問題|不足|欠落|抜け|漏れ)"
_THINGS = (
    r"[ ](?-i:(?:(?:key|main|important|relevant|required|expected|possible)[ ])?"
    r"(?:sentences?|names?|facts?|items?|details?|errors?|mistakes?|dates?|parts?|people|words?|claims?|statements?))\b"
)
_OF_THINGS = rf"\s*(?:/|(?:out\s+)?of)\s*100(?:{_THINGS}|{_THINGS_JA})"  # as a score of 100 is written
_COST = (
    rf"(?:{_COST_JA}|{_THINGS_JA}"
    r"|[ ](?:(?:that|which|is|was|are|were|be|been|to|have|has|had|need|will|should|must|would|I|we|I['’]d)[ ]){0,4}"
    rf"(?:{_TAKING}|off|lost|lower|less|fewer|missing(?![ ](?:the|an?)\b)|missed|absent|omitted|left\s+out|removed"
    r"|wrong|penalty|deductions?|not\s+(?:mentioned|covered|named|included|addressed|there|in))\b(?![ ]\d)"
    rf"|[ ]?[,(][ ]?(?:{_TAKING}|off|lost)(?=[.!)]|\Z)"
    r"|[ ]of[ ](?!(?:(?:an?|the|possible|full)[ ]){0,3}(?:\d|points?\b|score|marks?\b|maximum|total|credit)))"
)
_COSTS = re.compile(rf"{_UNIT}{_COST}|{_OF_THINGS}", re.IGNORECASE)
_COUNTS = re.compile(  # behind the number of an answer that was judged: "2 sentences are missing"
    rf"{_COSTS.pattern}|{_THINGS}",
    re.IGNORECASE,
)
_DEDUCTED = re.compile(  # what stands before such points
    r"(?:\b(?:deduct(?:ed|ing|ions?)?|subtract(?:ed|ing)?|minus|los(?:e|es|ing|t)|penalty)(?:[ ](?:of|about|another))?"
    r"|減点(?:[はをが:]|として)?|マイナス)[ ]?\Z",
    re.IGNORECASE,
)
_OPENING_END = re.compile(
    rf"(?!{_OF_THINGS})\s*(?:/|out of|of)\s*\d|{_UNIT}(?!{_COST})"
    r"|[\"')\]」』】]*\s*(?:\Z|\n|[.!;([。!、<]|[-–—:]\s|,(?!\s*\d)|[~〜±])"
    r"|\s+(?:to|or|and)\s+\d|\s*[-–—]\s*\d|[ ]文\d",
    re.IGNORECASE,
)
_LINE = re.compile(
    rf"^{_OPEN}{_ABOUT}?{_NUMBER}\s*(?:%|/\s*100|(?:out\s+)?of 100|points?|点)?(?:です|だ)?"
    r"[\"')\]」』】.。]*$",
    re.MULTILINE | re.IGNORECASE,
)
# The score in the middle of a sentence: a score of 20 · I would give it 20 · it gets 20 · 20 out of 100 · 20/100 · 20点
_IN_PROSE = re.compile(
    rf"\b{_NAME}\s+(?:(?:is|was|of|at|as|to|would|will|should|be|it|about|around|between|from)\s+){{0,4}}{_NUMBER}"
    rf"|\b(?:give|assign|award|rate|say|estimate|deserves?|merits?|worth|scores?|go|put|settle)\b"
    rf"(?:\s+(?!not\b)[a-z']+){{0,5}}\s+{_NUMBER.replace('number', 'verb')}"
    rf"|\b(?:it|this|answer|response)\s+(?:gets|receives|earns|rates)\s+(?:an?\s+)?{_NUMBER.replace('number', 'gets')}"
    r"(?=\s*(?:[.,;!]|/|out\s+of|of\s+\d|points?\b|%|\Z))"
    rf"|(?<![\d.,]){_NUMBER.replace('number', 'of')}\s*(?:/|(?:out\s+)?of)\s*\d+"
    rf"|{_NUMBER.replace('number', 'points')}\s*点(?!の|{_COST_JA})",
    re.IGNORECASE,
)
# What takes an earlier number back: 30, no wait, 40 · 80点、いや70点
_CORRECTION = re.compile(
    r"(?:\b(?:no|wait|hmm|actually|correction|scratch\s+that|make\s+(?:that|it)|or\s+rather|i\s+mean|i\s+meant"
    r"|on\s+second\s+thoughts?|on\s+reflection)\b|いや|いえ|訂正|やはり|やっぱり)[\s,.:;!…、。-]*"
    r"(?:(?:no|wait|actually|it|that|make|let['’]?s|say|should|be|is|to|more|like|the|score|i['’]?d|would|a|いや|やはり|スコアは)\b"
    rf"[\s,.:、]*){{0,6}}{_ABOUT}?{_NUMBER}",
    re.IGNORECASE,
)
# What follows from a number that does not hold: 100 is too high, so 80 · 80点は高すぎるので70点
_CONCLUSION = re.compile(
    rf"(?:\b(?:so|thus|hence|therefore|instead|but\s+rather)\b|よって|したがって|従って|なので|ので|ため)[\s,:、]*"
    rf"(?:{_SAYING}|{_ABOUT})*(?:an?\s+)?{_NUMBER}(?=\s*(?:点|points?\b|%|/\s*100)?(?:です|とします)?\s*[.!。]*\s*(?:\Z|\n))",
    re.IGNORECASE,
)
_TOO_MUCH = re.compile(
    r"\s*(?:点|points?|%)?\s*(?:(?:is|was|seems?|feels?|looks?|would\s+be|may\s+be|might\s+be|could\s+be)\s+)?"
    r"(?:(?:a\s+bit|a\s+little|slightly|way|much|far|probably|perhaps)\s+)*too\s+(?:high|low|generous|harsh|strict|lenient|much|little)\b"
    r"|\s*点?(?:は|では|だと)(?:少し|やや|ちょっと)?(?:高すぎ|低すぎ|甘すぎ|厳しすぎ)",
    re.IGNORECASE,
)
_OUT_OF_JA = r"(?:中|のうち)(?=の?[、,]?\s*\d)"  # between what a scale reaches to and the score
_OTHER_SCALE = re.compile(
    r"\s*(?:点|points?)?\s*(?:[(\[]?\s*(?:/|out\s+of)|of)\s*(?:an?\s+(?:possible\s+)?)?(\d+)", re.IGNORECASE
)
_STARS = re.compile(r"\s*(?:stars?\b|つ星|★|⭐)", re.IGNORECASE)
_LESS = re.compile(
    r"\b(?:scale\s+(?:of|from)\s+|from\s+|between\s+)?(?:0|1)\s*(?:-|–|to|and|から|[~〜])\s*(?P<to>1|4|5|6|7|10|20)\b"
    rf"(?=\s*(?:scale|[)\]:,]|の|で|\Z))|(?P<point>\d+)\s*(?:-\s*point\s+scale|段階|点満点|点{_OUT_OF_JA})",
    re.IGNORECASE,
)
_RANGE = re.compile(
    r"\s*(?:点|points?|%)?\s*(?:-|–|—|to|or|and|[~〜]|から|±|\.\.+)\s*\d|\s*\+"
    r"|\s+for\s+(?:the\s+)?(?:first|second|one|sentence|part)\b"
)
_COUNTER = r"(?:[.):、。]|[ ][-–—][ ])(?!\d)"
_FIRST, _SECOND = re.compile(rf"1{_COUNTER}"), re.compile(rf"(?<=[\s;,、。])2{_COUNTER}")
_PART_SCORE = re.compile(
    rf"(?:\b(?:sentence|part|item|question|point|step)\s+\d+|文\s*\d+|[(\[]?\b[a-c][)\].])"
    rf"(?:['’]s)?(?:\s+{_NAME})?\s*(?:[:=]|は)\s*\d+",
    re.IGNORECASE,
)
_OF_PART = re.compile(
    r"(?:\b(?:sentence|part|item|question|point|step)\s+\d+|文\s*\d+)\W{0,4}\s*(?:の)?\Z", re.IGNORECASE
)
_CITED = re.compile(
    r"(?:(?:\b(?:sentences?|lines?|paragraphs?|steps?|statements?|documents?|turns?|passages?|references?|s\.)"
    r"|文書?|段落|発言|第|行)\s*[(\[]?(?:[RT]\d+:)?|\b[RT]\d+:)(?:\d+(?:\s*[-–]\s*\d+)?\s*(?:[,;、]|and\b)\s*)*\Z",
    re.IGNORECASE,
)
_REFERENCE = re.compile(r"(?:\b(?:sentences?|lines?|paragraphs?|numbers?|steps?|nos?\.)|文|第)\s*\Z", re.IGNORECASE)
_PLACE = re.compile(  # the number of what is scored: the score of answer 2 is 80
    rf"\b((?:for|of|to)\s+{_SCORED}\s+)((?:no\.\s*|#)?\d+)(?=\s*(?:[:=]|(?:is|was|(?:would|should)\s+be)\s)\s*\d|\s+\d)",
    re.IGNORECASE,
)
_DENIED = re.compile(r"(?:\b(?:not|never|cannot|nor|without|than|instead)|n['’]t)\b[^.;\n]{0,60}\Z", re.IGNORECASE)
_HYPOTHETICAL = re.compile(r"\s*(?:would|could|means?|indicates?|represents?|requires?|if)\b", re.IGNORECASE)
_REFUSAL = re.compile(
    r"\b(?:cannot|can['’]?t|could not|unable|not able|not possible|impossible|decline|refuse|won['’]t|sorry"
    r"|n/a)\b|できません|できない|申し訳|いたしかねます|判断不能|該当なし",
    re.IGNORECASE,
)
# Mentions of the scale that hold numbers but no score.
_SCALE = re.compile(
    r"[(\[]?\b(?:on\s+|using\s+)?(?:a\s+|the\s+)?(?:scale\s+(?:of|from)\s+|from\s+|between\s+)?"
    r"0\s*(?:-|–|—|to|and|から|[~〜]|\.\.+)\s*100(?![\d.])(?:\s+(?:scale|range)|の(?:尺度|範囲|スケール)[でに、]*)?[)\]]?,?"
    rf"|100点(?:満点(?:中|で(?:は)?)?|{_OUT_OF_JA})の?[、,]?",
    re.IGNORECASE,
)
_WINDOW = 80  # characters of context that can change what a number means
_THOUGHT = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_END_OF_THOUGHT = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_MARKUP = re.compile(r"[*`_#]+|~~|^>\s?", re.MULTILINE)


@dataclass(frozen=True)
class _Statement:
    """A score that is stated, and where."""

    at: int
    reading: ScoreReading


def read_score(reply: str) -> ScoreReading:
    """Read the score in a model's reply, in English or Japanese.

    Three kinds of statement are looked for, the plainest first, and the first kind found decides: a score
    given by name ("Score: 70", "スコア：70", `<score>70</score>`), a number that opens the reply or stands on a line
    of its own, a score within a sentence ("I would give it 70", "70 out of 100"). Of scores by name the last one
    counts, and a final score before others. A number that is taken back ("30, no wait, 40"; "100 is too high, so 80")
    gives way to the one that replaces it. Other statements of one kind that differ, ranges ("60-70") and scores for
    parts of the answer give nothing; a score on another scale ("4 of 5", ".7", "10点満点で8点") is none, either.

    Parameters
    ----------
    reply : str
        The reply as it came. Markdown, full-width digits and a reasoning model's thoughts are seen through.

    Returns
    -------
    ScoreReading
        A value in 0..100, or the reason why there is none. Never raises.
    """
    text = without_thoughts(unicodedata.normalize("NFKC", reply).replace("−", "-"))
    text = _SCALE.sub(" ", _close_up(_MARKUP.sub("", text))).strip().lstrip(":, ")
    if not text:
        return ScoreReading(None, Unread.EMPTY)
    for statements_in in (_named, _standing_alone, _part_scores, _in_prose, _corrections):
        if stated := statements_in(text):
            return _on_asked_scale(_last_word(text, stated, is_named=statements_in is _named), text)
    if next(_shorter_scales(text), None) is not None:
        return ScoreReading(None, Unread.OTHER_SCALE)
    return ScoreReading(None, Unread.REFUSAL if _REFUSAL.search(text) else Unread.NO_SCORE)


def without_thoughts(reply: str) -> str:
    """What a reasoning model says after its thoughts: `<think>…</think>`, or what comes before `</think>` where the
    model's chat template has written the first tag itself, so that the reply begins in the middle of them."""
    return _END_OF_THOUGHT.split(_THOUGHT.sub("", reply))[-1]


def _close_up(text: str) -> str:
    """With one space or one end of line between words, so that no pattern can lose itself in a thousand."""
    return re.sub(r"\s*\n\s*", "\n", re.sub(r"[^\S\n]+", " ", text))


def _last_word(text: str, stated: list[_Statement], *, is_named: bool) -> ScoreReading:
    """What counts of statements of one kind, and of what takes them back."""
    first = stated[0].at
    if later := [each for each in _corrections(text) if each.at > first]:
        return later[-1].reading
    if is_named:
        return stated[-1].reading
    readings = {each.reading for each in stated}
    return readings.pop() if len(readings) == 1 else ScoreReading(None, Unread.AMBIGUOUS)


def _named(text: str) -> list[_Statement]:
    found = [match for match in _NAMED.finditer(text) if not _OTHER_FIGURE.search(text[: match.start()][-_WINDOW:])]
    final = [match for match in found if match["final"]]
    if not final and (_is_of_parts(text, found) or len({match["place"] for match in found} - {None}) > 1):
        return [_Statement(found[0].start(), ScoreReading(None, Unread.SEPARATE_SCORES))]
    names = ("number", "boxed", "tagged", "bracketed", "headed")
    chosen = final or _plainest(text, found)
    stated = [_stated(text, match, next(name for name in names if match[name])) for match in chosen]
    if len({each.reading for each in stated}) > 1 and any(each["last"] and _KEYED.search(each[0]) for each in chosen):
        return [_Statement(chosen[0].start(), ScoreReading(None, Unread.AMBIGUOUS))]
    return stated


def _is_of_parts(text: str, found: list[re.Match[str]]) -> bool:
    return sum(bool(_OF_PART.search(text[: match.start()][-_WINDOW:])) for match in found) > 1


def _plainest(text: str, found: list[re.Match[str]]) -> list[re.Match[str]]:
    """Scores that are called so, and final answers; else ratings and grades; else what stands behind "Answer:" and
    the like. An answer that counts something is none of them."""
    found = [
        match for match in found if not ((match["last"] or match["loose"]) and _COUNTS.match(text, match.end("number")))
    ]
    named = [match for match in found if not match["loose"]]
    scores = [match for match in named if not _OTHER_NAME.search(match[0])]
    given = [match for match in scores if not _HYPOTHETICAL.match(_after(text, match.end()))]
    return given or scores or named or found


def is_cited(text: str, at: int) -> bool:
    """Whether the number there is that of a sentence, a line or the like."""
    return _CITED.search(text[max(0, at - _WINDOW) : at]) is not None


def _is_list(text: str) -> bool:
    return bool(_FIRST.match(text)) and any(not is_cited(text, found.start()) for found in _SECOND.finditer(text))


def _standing_alone(text: str) -> list[_Statement]:
    found = list(_LINE.finditer(text))
    opening = _OPENING.match(text)
    if opening and not _is_list(text) and _OPENING_END.match(text, opening.end()):
        found.append(opening)
    return [_stated(text, match, "number") for match in found if not _TOO_MUCH.match(text, match.end("number"))]


def _part_scores(text: str) -> list[_Statement]:
    """That there are several of them, which is no score."""
    found = list(_PART_SCORE.finditer(text))
    return [_Statement(found[0].start(), ScoreReading(None, Unread.SEPARATE_SCORES))] if len(found) > 1 else []


def _in_prose(text: str) -> list[_Statement]:
    stated, text = [], _PLACE.sub(lambda found: found[1] + " " * len(found[2]), text)
    for match in _IN_PROSE.finditer(text):
        name = next(name for name in ("number", "verb", "gets", "of", "points") if match[name])
        before = text[max(0, match.start(name) - _WINDOW) : match.start(name)]
        after = _after(text, match.end(name))
        is_meant = not (_REFERENCE.search(before) or _DENIED.search(before) or _HYPOTHETICAL.match(after))
        is_cost = _COSTS.match(after) or _DEDUCTED.search(before)
        if is_meant and not is_cost and not _TOO_MUCH.match(after):
            stated.append(_stated(text, match, name))
    if (_TOO_MUCH.search(text) or not stated) and (concluded := list(_CONCLUSION.finditer(text))):
        return [_stated(text, concluded[-1], "number")]
    return stated


def _corrections(text: str) -> list[_Statement]:
    return [
        _stated(text, match, "number")
        for match in _CORRECTION.finditer(text)
        if not _HYPOTHETICAL.match(_after(text, match.end("number")))
    ]


def _stated(text: str, match: re.Match[str], name: str) -> _Statement:
    return _Statement(match.start(name), _judge(match[name], _after(text, match.end(name))))


def _after(text: str, end: int) -> str:
    return text[end : end + _WINDOW]


def _judge(number: str, after: str) -> ScoreReading:
    """Whether a number that was stated as the score can be one, given what follows it."""
    other = _OTHER_SCALE.match(after)
    if (other and other[1] != "100") or _STARS.match(after):
        return ScoreReading(None, Unread.OTHER_SCALE)
    if "," in number or number.count(".") > 1 or (not other and _RANGE.match(after)):
        return ScoreReading(None, Unread.AMBIGUOUS)
    value = float(number)
    if 0 < value < 1:
        return ScoreReading(None, Unread.OTHER_SCALE)
    if not 0 <= value <= 100:
        return ScoreReading(None, Unread.OUT_OF_RANGE)
    return ScoreReading(value, None)


def _on_asked_scale(reading: ScoreReading, text: str) -> ScoreReading:
    """The reading, unless the reply names a shorter scale that it fits on."""
    if reading.value is None:
        return reading
    fits = any(reading.value <= end for end in _shorter_scales(text) if end < 100)
    return ScoreReading(None, Unread.OTHER_SCALE) if fits else reading


def _shorter_scales(text: str) -> Iterator[float]:
    """The ends of the scales that a text names; sentences that it cites, such as "sentences 1-4", are none."""
    for match in _LESS.finditer(text):
        if not is_cited(text, match.start()):
            yield float(match["to"] or match["point"])
