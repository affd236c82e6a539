"""The answers to where, when, why and how as phrases: in the fridge, on Monday, because of the rain."""

import re
from itertools import pairwise

from annotation_platform.core.methods.rev.english import AUXILIARIES, gerund, is_adverb, is_in, is_plural, is_verb

_MONTH = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december|"
    r"(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.)"
)
_DAY = re.compile(
    rf"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|christmas day|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?(?!\d)|"
    rf"\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTH})",
    re.IGNORECASE,
)
_YEAR = re.compile(rf"\d{{3,4}}(?!\d|:)|(?:the )?(?:early|late|spring|summer|autumn|winter|{_MONTH})\b", re.IGNORECASE)
_HOUR = re.compile(r"\d{1,2}(?::\d\d)?\s*(?:[ap]\.?m\.?|o'clock)|\d{1,2}:\d\d|noon|midnight|dawn|dusk", re.IGNORECASE)
_REASON = re.compile(
    r"(?:because|to|so|due|in order|by|for|out of|since|as|thanks|not to|with|from|on account|owing)\b", re.IGNORECASE
)
_MANNER = re.compile(
    r"(?:like|by|with|through|in|on|using|via|from|at|as|without|under|over|into|before|after)\b", re.IGNORECASE
)


def adverbial(kind: str, answer: str, verb: str) -> str:
    """The answer to a question with where, when, why or how, as a phrase.

    Parameters
    ----------
    kind : {'where', 'when', 'why', 'how'}
    answer : str
    verb : str
        The base form of the verb that it belongs to, which tells *to the market* from *at the market*.

    Examples
    --------
    >>> adverbial("where", "refrigerator", "keep"), adverbial("where", "airport", "go")
    ('in the refrigerator', 'to the airport')
    >>> adverbial("when", "1945", "end"), adverbial("why", "heavy rain", "cancel")
    ('in 1945', 'because of heavy rain')
    """
    if kind == "where":
        return _place(answer, verb)
    return {"when": _time, "why": _reason, "how": _manner}[kind](answer)


def gives_reason(answer: str) -> bool:
    """Whether an answer to why begins with a word that joins it: because, to, for."""
    return _REASON.match(answer) is not None


def _place(answer: str, verb: str) -> str:
    first = answer.split()[0].lower()
    goes = is_in(verb, "goes")
    bare = is_in(first, "bare_places") and (goes or not is_in(first, "places_at"))
    if bare or is_in(first, "prepositions") or first in ("wherever", "where"):
        return answer
    head = re.split(r"\s(?:of|in|on|at|with|near)\s", answer)[0].split()[-1].lower()
    preposition = "on" if is_in(head, "places_on") else "at" if is_in(head, "places_at") else "in"
    named = answer[0].isupper() or is_in(first, "determiners") or is_in(head, "bare_places") or is_plural(answer)
    return f"{'to' if goes else preposition} {'' if named else 'the '}{answer}"


def _time(answer: str) -> str:
    first = answer.split()[0]
    if not is_in(first, "prepositions") and not is_in(first, "clauses"):
        for preposition, pattern in (("on", _DAY), ("at", _HOUR), ("in", _YEAR)):
            if pattern.match(answer):
                return f"{preposition} {answer}"
    return answer


def _reason(answer: str) -> str:
    words = answer.split()
    if gives_reason(answer):
        return answer
    if is_in(words[0], "verbs") and not is_plural(words[0]) and not AUXILIARIES.intersection(words[1:]):
        return f"to {answer}"
    return f"because {answer}" if _is_clause(words) else f"because of {answer}"


def _is_clause(words: list[str]) -> bool:
    """Whether there is a finite verb after the first word."""
    for before, word in pairwise(words):
        many = is_plural(before) or is_in(before, "pronouns")
        if word.lower() in AUXILIARIES or (is_verb(word) and (many or not is_in(word, "verbs"))):
            return True
    return False


def _manner(answer: str) -> str:
    words = answer.split()
    verb = is_in(words[0], "verbs")
    if _MANNER.match(answer) or is_adverb(words[0]) or (len(words) == 1 and not verb):
        return answer
    if words[0].lower().endswith("ing"):
        return f"by {answer}"
    if verb:
        return " ".join(["by", gerund(words[0].lower()), *words[1:]])
    return f"with {answer}" if is_in(words[0], "determiners") else answer
