"""A question and its answer as one declarative sentence, by rules for English: the vacuous rationale of an answer.

"Where do bees live?" and "in a hive" become "Bees live in a hive." The rules know wh-questions of all kinds, yes/no
and either/or questions, blanks, and orders such as "Name …". Where none of them fits, question and answer are put one
after the other, which says as little, and the result says so. How often the rules are right is in
docs/reference/rev.md. A converter of another kind can be put in their place; see `vacuous.Converter`.

The idea is that of Demszky, Guu and Liang, Transforming Question Answering Datasets Into Natural Language Inference
Datasets (2018); the rules are our own.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from annotation_platform.core.methods.rev import wh
from annotation_platform.core.methods.rev.english import (
    AUXILIARIES,
    FORMS_OF_BE,
    NEGATED,
    finite,
    is_in,
    is_past_participle,
    is_plural,
    subject_and_rest,
    with_article,
)

JOINED = "joined"
"""The rule's name where question and answer only stand one after the other."""

_OPENERS = r"(?:whose|who|whom|what|which|where|when|why|how)\b"
_ASKING = re.compile(rf"(?:(?:in|at|on|to|from|for|with|by|of|about)\s+)?{_OPENERS}", re.IGNORECASE)
_BLANK = re.compile(r"_{2,}(?:\s+_{2,})*|\[blank\]|\.{3,}|…", re.IGNORECASE)
_LEAD = re.compile(
    r"(?:if|when|while|after|before|because|as|once|since|although|in|at|on|during|for|to|without|with|by|besides)\b[^?]*?,",
    re.IGNORECASE,
)
_LISTED = re.compile(r"[\s:;,–—-]*(?:\(?\b[A-E1-5][.)]\s.+|(?:choices|options)\s*:.+)$", re.IGNORECASE | re.DOTALL)
_LABEL = re.compile(r"\(?([A-Ea-e1-5])[.)]?(?:\s+(?P<text>.+))?$", re.DOTALL)
_YES_NO = re.compile(r"(yes|yeah|yep|true|no|nope|false|not really)\b[\s,.;:!–—-]*", re.IGNORECASE)
_WANTED = re.compile(r"\b(?:what|which(?: [\w' -]+)?|who|whom|where)\s*$", re.IGNORECASE)
_UNFINISHED = re.compile(r"\b(?:is|are|was|were|as|called|named|to|of|in|by|for|from|with|on|at)\s*$", re.IGNORECASE)
_NAME = re.compile(r"(?:please\s+)?(?:name|give|state|identify|mention)\s+(?:me\s+)?(?P<what>.+)$", re.IGNORECASE)
_EXPLAIN = re.compile(
    rf"(?:please\s+)?(?:explain|tell me|describe|say|can you tell me|do you know)\s+(?P<what>{_OPENERS}.+)$",
    re.IGNORECASE,
)
_CHOOSE = re.compile(r"(?:please\s+)?(?:choose|pick|select|find|point out)\s+(?P<what>.+)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Declarative:
    """A sentence with the name of the rule that made it; `JOINED` where none fitted."""

    text: str
    rule: str


def declare(question: str, answer: str, *, choices: Sequence[str] = ()) -> Declarative:
    """Rewrite a question and its answer as one declarative sentence.

    Parameters
    ----------
    question : str
        English. Sentences before the last are kept as they are; choices listed in it are left out.
    answer : str
        A phrase, a sentence, yes or no; or a choice's letter or number, when `choices` are given.
    choices : sequence of str
        The choices' texts, in order.

    Returns
    -------
    Declarative
        Always a sentence; one that is `JOINED` is "Question? Answer."

    Raises
    ------
    ValueError
        The question or the answer is blank.

    Examples
    --------
    >>> declare("Where can personal mushrooms be kept fresh?", "refrigerator").text
    'Personal mushrooms can be kept fresh in the refrigerator.'
    >>> declare("Is a whale a fish?", "no").text
    'A whale is not a fish.'
    """
    asked, said = " ".join(question.split()), _chosen(" ".join(answer.split()), choices)
    if not asked or not said:
        raise ValueError("A declarative sentence needs a question and an answer, and one of them is blank.")
    said = said.rstrip(".!") or said
    before, last = _last_sentence(asked)
    for rule in (_blank, _order, _either, _closed, _open, _echo) if last else ():
        found = rule(last, said)
        if found:
            return Declarative(f"{before}{_sentence(found)}", rule.__name__.strip("_"))
    return Declarative(f"{asked[0].upper()}{asked[1:].rstrip('?.')}? {_sentence(said)}", JOINED)


def _chosen(answer: str, choices: Sequence[str]) -> str:
    """The choice's text where the answer is its letter or number."""
    match = _LABEL.match(answer)
    if match and choices and not match["text"]:
        place = "ABCDE12345".index(match[1].upper()) % 5
        if place < len(choices):
            return " ".join(choices[place].split())
    return match["text"] if match and match["text"] and re.match(r"\(?[A-E1-5][.)]", answer) else answer


def _last_sentence(question: str) -> tuple[str, str]:
    """What stands before the sentence that asks, and that sentence without its question mark and choices."""
    question = _LISTED.sub("", question).strip()
    cut = max(
        (m.end() for m in re.finditer(r"(?<![A-Z]\b)(?<!Mr)(?<!Dr)(?<!Mrs)[.!]\s+(?=[A-Z])", question)), default=0
    )
    return question[:cut], question[cut:].rstrip("?. !:")


def _blank(question: str, answer: str) -> str | None:
    match = _BLANK.search(question)
    if match is None:
        return None
    before = re.sub(r"^(?:complete|finish|fill in)\b[^:]*:\s*", "", question[: match.start()], flags=re.IGNORECASE)
    return f"{with_article(before, answer)}{_inside(answer) if before else answer}{question[match.end() :]}"


def _order(question: str, answer: str) -> str | None:
    """Name the capital of France → The capital of France is …"""
    if match := _EXPLAIN.match(question):
        return _open(_as_question(match["what"]), answer)
    match = _NAME.match(question) or _CHOOSE.match(question)
    if match is None:
        return None
    what = match["what"].split(":")[0].split(", ")[0].strip()
    if re.match(r"(?:an?|one|any|some)\s", what, re.IGNORECASE):
        return f"{answer} {'are' if is_plural(answer) else 'is'} {what}"
    return f"{what} {'are' if is_plural(what) else 'is'} {_inside(answer)}"


def _as_question(clause: str) -> str:
    """An indirect question in the order of a direct one where that needs no form of do: why the sky is blue."""
    words = clause.split()
    place = next((i for i, word in enumerate(words) if i > 1 and word.lower() in AUXILIARIES), None)
    if place is not None:
        return " ".join([words[0], words[place], *words[1:place], *words[place + 1 :]])
    return " ".join([words[0], "do", *words[1:]])


def _either(question: str, answer: str) -> str | None:
    """Do cats prefer milk or water? → the one of them that was said."""
    if _YES_NO.match(answer) or not re.search(r"\bor\b", question):
        return None
    head, comma, options = question.rpartition(", ")
    said = _bare(answer)
    if comma and _ASKING.match(question):
        options = options if " or " in options else ""
        while options and " or " not in head and ", " in head and _bare(head.rpartition(", ")[2]) == said:
            head = head.rpartition(", ")[0]
        return _open(head, answer) if options else None
    match = re.search(
        rf"(?:\b(?:an?|the)\s+)?{re.escape(said)}\s+or\s+(?:(?:an?|the)\s+)?[\w'-]+(?: [\w'-]+)?$",
        question,
        re.I,
    )
    if match is None:
        match = re.search(
            rf"(?:\b(?:an?|the|in|on|at|by|with)\s+)*[\w'-]+\s+or\s+(?:(?:an?|the|in|on|at|by|with)\s+)*{re.escape(said)}\b",
            question,
            re.I,
        )
    if match is None or _ASKING.match(question):
        return None
    return _closed(f"{question[: match.start()]}{_inside(answer)}{question[match.end() :]}", "yes")


def _closed(question: str, answer: str) -> str | None:
    """Is a whale a fish? No → A whale is not a fish."""
    lead, clause = _lead(question)
    words = clause.split()
    first = words[0].lower().replace("’", "'") if words else ""
    auxiliary = NEGATED.get(first, first.removesuffix("n't"))
    match = _YES_NO.match(answer)
    if auxiliary not in AUXILIARIES or match is None or len(words) < 2:
        return None
    negative = match[1].lower() in ("no", "nope", "false", "not really")
    complement = auxiliary in FORMS_OF_BE or auxiliary in ("has", "have", "had")
    if auxiliary in ("has", "have", "had") and not any(map(is_past_participle, words[2:])):
        after = 3 if is_in(words[1], "determiners") else 2  # Have bats good ears?
        subject, rest = words[1:after], words[after:]
    else:
        subject, rest = subject_and_rest(words[1:], verb=not complement)
    reason = answer[match.end() :]
    because = f", {reason}" if re.match(r"(?:because|since|as|but|if|only|when)\b", reason, re.IGNORECASE) else ""
    return lead + " ".join(_said_of(subject, auxiliary, rest, negative=negative)) + because


def _said_of(subject: list[str], auxiliary: str, rest: list[str], *, negative: bool) -> list[str]:
    if negative and subject and subject[0].lower() in ("all", "every", "everybody", "everyone"):
        return ["not", *_said_of([subject[0].lower(), *subject[1:]], auxiliary, rest, negative=False)]
    if negative:
        return [*subject, "cannot" if auxiliary == "can" else f"{auxiliary} not", *rest]
    if auxiliary in ("do", "does", "did") and rest:
        adverbs, verb, others = wh.split_adverbs(rest)
        return [*subject, *adverbs, finite(verb, auxiliary), *others]
    return [*subject, auxiliary, *rest]


def _open(question: str, answer: str) -> str | None:
    lead, clause = _lead(question)
    if not _ASKING.match(clause):
        return None
    found = wh.answer_in_place(clause, _inside(answer))
    return lead + found if found else None


def _echo(question: str, answer: str) -> str | None:
    """The sun rises in what? The sun rises in the … → the answer in that place."""
    if match := _WANTED.search(question):
        return f"{question[: match.start()]}{_inside(answer)}"
    asks = _ASKING.match(question) or question.split()[0].lower() in AUXILIARIES
    return f"{question} {_inside(answer)}" if not asks and _UNFINISHED.search(question) else None


def _lead(question: str) -> tuple[str, str]:
    """A clause or phrase before the question proper: "If you drop a glass, what happens?"."""
    for match in re.finditer(",", question):
        head, clause = question[: match.end()], question[match.end() :].strip()
        first = clause.split()[0].lower() if clause else ""
        if _LEAD.fullmatch(head) and (_ASKING.match(clause) or first in AUXILIARIES):
            return f"{head} ", clause
    return "", question


def _bare(phrase: str) -> str:
    return re.sub(r"^(?:an?|the|in|on|at|by|with|to)\s+", "", phrase.lower())


def _inside(answer: str) -> str:
    """The answer as it stands within a sentence: its first word small, unless it is a name."""
    first = answer.split()[0]
    small = first.lower()
    lists = ("determiners", "prepositions", "clauses", "pronouns", "bare_places")
    function = any(is_in(small, name) for name in lists) and first != "I" and (first == "A" or not first.isupper())
    return answer[0].lower() + answer[1:] if function else answer


def _sentence(text: str) -> str:
    text = re.sub(r"\s+([,.;:!?])", r"\1", " ".join(text.split())).rstrip(" ,;:?")
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '!')) else '.'}"
