"""Wh-questions: where the answer belongs in the sentence that the question asks to complete."""

import re
from collections.abc import Callable, Sequence

from annotation_platform.core.methods.rev.adverbials import adverbial, gives_reason
from annotation_platform.core.methods.rev.english import (
    AUXILIARIES,
    FORMS_OF_BE,
    base_form,
    finite,
    is_adverb,
    is_in,
    is_participle,
    is_past_participle,
    is_plural,
    is_verb,
    past,
    subject_and_rest,
    third_person,
)

Words = list[str]
Placing = Callable[[Words], Words]
"""Puts the answer among what is said of the subject: ["break"] → ["break", "the window"]."""

_DO = frozenset(["do", "does", "did"])
_HAVE = frozenset(["has", "have", "had"])
_SIZES = frozenset(["old", "tall", "high", "long", "deep", "wide", "thick"])
_LINKS = frozenset(["called", "named", "known", "made", "good", "bad", "famous"])
_PARTICLES = frozenset(["up", "out", "off", "down", "away", "back"])
_GIVING = frozenset(["give", "tell", "show", "send", "offer", "teach", "bring", "call", "ask"])
_CLAUSES = frozenset(["if", "when", "while", "because", "unless", "although", "once", "whenever"])
_NUMBER = r"(?:about |around )?(?:\d[\d.,]*|an?|two|three|four|five|six|seven|eight|nine|ten)"


def answer_in_place(question: str, answer: str) -> str | None:
    """The question, which begins with its wh-phrase, as a statement; None where no rule fits."""
    words = question.split()
    fronted = words.pop(0).lower() if is_in(words[0], "prepositions") else ""
    asked, verb, rest = _cut(words)
    if not verb:
        return None
    kind = asked[0].lower()
    if asked == words[:1] and kind == "what" and (found := _happening([verb, *rest], answer)):
        return found
    if kind in ("where", "when", "why") or (kind == "how" and not _counts(asked)):
        return _adverbial(asked, verb, rest, answer)
    filler = _filler(asked, answer)
    if fronted:
        phrase = answer if is_in(answer.split()[0], "prepositions") else f"{fronted} {filler}"
        return _statement(verb, rest, lambda said: [*said, phrase])
    if _asks_for_subject(verb, rest):
        return " ".join([filler, _agreeing(verb, filler), *rest])
    if verb.lower() in FORMS_OF_BE:
        return _with_be(asked, verb, rest, filler)
    return _statement(verb, rest, lambda said: _at_gap(said, filler))


def split_adverbs(words: Sequence[str]) -> tuple[Words, str, Words]:
    """Adverbs before a verb, the verb, and what follows."""
    n = next((n for n, word in enumerate(words[:-1]) if not is_adverb(word)), len(words) - 1)
    return list(words[:n]), words[n], list(words[n + 1 :])


def _cut(words: Words) -> tuple[Words, str, Words]:
    """The wh-phrase, the auxiliary or verb after it, and the rest."""
    for place in range(1, len(words)):
        word, before = words[place].lower(), words[place - 1].lower()
        if word in AUXILIARIES or (before == "who" and place == 1) or _is_verb_of_phrase(words, place):
            return words[:place], words[place], words[place + 1 :]
    return words, "", []


def _is_verb_of_phrase(words: Words, place: int) -> bool:
    """Whether a word is the verb after a wh-phrase, and not a noun in it: what kind of shop | sells …"""
    word, before = words[place].lower(), words[place - 1].lower()
    base = is_in(word, "verbs")
    if place == 1:
        noun = word.endswith("s") and len(words) > 2 and words[2].lower() in AUXILIARIES
        return not noun and is_verb(word) and (not base or past(word) == word)
    if before in ("of", "many", "much", "the", "a"):
        return False
    return is_verb(word) and (not base or past(word) == word or is_plural(before))


def _counts(asked: Sequence[str]) -> bool:
    return len(asked) > 1 and asked[1].lower() in ("many", "much")


def _filler(asked: Words, answer: str) -> str:
    """The answer with the noun that the question counts or whose owner it asks for."""
    if asked[0].lower() == "whose" and len(asked) > 1:
        owns = re.search(r"(?:'s|s')$", answer) or answer in ("mine", "yours", "hers", "ours")
        return " ".join([answer if owns else f"{answer}'s", *asked[1:]])
    noun = " ".join(asked[2:]) if _counts(asked) else ""
    if not noun or noun.split()[-1].rstrip("s").lower() in answer.lower():
        return answer
    has_unit = re.match(rf"{_NUMBER}\s+\w+", answer)
    return f"{answer}{' of' if has_unit else ''} {noun}"


def _asks_for_subject(verb: str, rest: Words) -> bool:
    auxiliary = verb.lower().removesuffix("n't")
    if verb.lower() not in AUXILIARIES:
        return True
    if auxiliary in _DO or not rest:
        return False
    first = rest[0].lower()
    if auxiliary in FORMS_OF_BE:
        return is_participle(first) or is_in(first, "prepositions") or first in ("able", "more", "most", "less", "not")
    if auxiliary in _HAVE:
        return is_past_participle(first) or not any(map(is_past_participle, rest))
    if is_in(first, "verbs") and is_in(first, "plurals"):
        return False
    return first in ("be", "have") or is_adverb(first) or is_in(first, "verbs")


def _agreeing(verb: str, subject: str) -> str:
    """The verb in the number of its new subject."""
    plural, small = is_plural(subject), verb.lower()
    if small in AUXILIARIES:
        pairs = {"is": "are", "was": "were", "has": "have"}
        return pairs.get(small, small) if plural else {many: one for one, many in pairs.items()}.get(small, small)
    if plural and small == third_person(base_form(small)):
        return base_form(small)
    return third_person(small) if not plural and is_in(small, "verbs") and past(small) != small else small


def _happening(words: Words, answer: str) -> str | None:
    """What happens to ice in the sun? It melts → Ice melts in the sun."""
    place = next((place for place, word in enumerate(words[:3]) if base_form(word).lower() == "happen"), None)
    if place is None:
        return None
    following = words[place + 1 :]
    if following[:1] != ["to"]:
        return " ".join([answer, *following])
    pronoun = re.match(r"(?:it|they|he|she)\s+", answer, re.IGNORECASE)
    thing, others = subject_and_rest(following[1:], verb=False)
    return " ".join([*thing, answer[pronoun.end() :], *others]) if pronoun else None


def _adverbial(asked: Words, verb: str, rest: Words, answer: str) -> str | None:
    kind, degree = asked[0].lower(), " ".join(asked[1:]).lower()
    if kind == "how" and degree in _SIZES and verb.lower() in FORMS_OF_BE:
        sized = f"{answer} {degree}" if re.match(_NUMBER, answer) and degree not in answer else answer
        return _statement(verb, rest, lambda said: [*said, sized])
    if kind == "how" and degree:
        return _statement(verb, rest, lambda said: _at_gap(said, answer))
    if kind == "where" and rest[:1] == ["there"]:
        return " ".join(["there", verb, *rest[1:], adverbial(kind, answer, verb)])

    def with_phrase(said: Words) -> Words:
        if said[-1].lower() in ("from", "to", "at", "in"):
            return [*said, re.sub(rf"^{said[-1]}\s+", "", answer)]
        clause = (i for i, word in enumerate(said) if i and word.lower() in _CLAUSES)
        going_to = said[0].lower() in ("go", "come") and kind == "where" and said[1:2] == ["to"]
        cut = len(said) if kind == "why" and not gives_reason(answer) else next(clause, len(said))
        cut = 1 if going_to else cut
        return [*said[:cut], adverbial(kind, answer, said[0].lower()), *said[cut:]]

    return _statement(verb, rest, with_phrase, whole=kind in ("where", "when"))


def _with_be(asked: Words, verb: str, rest: Words, filler: str) -> str | None:
    """What is the capital of France? → The capital of France is Paris."""
    if not rest:
        return None
    subject, said = _subject_of_be(rest)
    kind = asked[0].lower()
    if not said and (kind == "which" and (len(asked) == 1 or subject[0].lower() == "the")):
        return " ".join([filler, verb, *subject])
    if not said and kind in ("who", "whom"):
        named = is_in(subject[0], "pronouns") or subject[0][0].isupper()
        return " ".join([*subject, verb, filler] if named else [filler, verb, *subject])
    if said and is_participle(said[0]) and said[-1].lower() not in _LINKS and not is_in(said[-1], "prepositions"):
        return " ".join([*subject, verb, *_at_gap(said, filler)])
    return " ".join([*subject, verb, *said, filler])


def _subject_of_be(rest: Words) -> tuple[Words, Words]:
    """The subject after is: everything, unless something is said of it at the end."""
    for place in range(1, len(rest)):
        word, before = rest[place].lower(), rest[place - 1]
        if {"who", "that", "which"}.intersection(rest[:place]) and place < len(rest) - 1:
            continue
        doing = word.endswith("ing") and not is_in(before, "prepositions") and not is_in(before, "determiners")
        if word in _LINKS or (is_participle(word) and (doing or is_in(rest[-1], "prepositions"))):
            adverb = place > 1 and is_adverb(before)
            return rest[: place - adverb], rest[place - adverb :]
    if len(rest) > 1 and is_in(rest[-1], "prepositions"):
        return rest[:-1], rest[-1:]
    return rest, []


def _statement(verb: str, rest: Words, put: Placing, *, whole: bool = False) -> str | None:
    """Subject, then verb and what is said of it with the answer put in."""
    auxiliary = verb.lower()
    plain = auxiliary.removesuffix("n't")
    if auxiliary not in AUXILIARIES:
        return None
    subject, said = subject_and_rest(rest, verb=plain not in FORMS_OF_BE | _HAVE, whole=whole)
    if not subject or not (said or plain in FORMS_OF_BE):
        return None
    if not said:
        return " ".join([*subject, verb, *put([""])[1:]])
    if auxiliary not in _DO:
        return " ".join([*subject, verb, *put(said)])
    adverbs, base, others = split_adverbs(said)
    first, *words = " ".join(put([base, *others])).split()
    return " ".join([*subject, *adverbs, finite(first, auxiliary), *words])


def _at_gap(said: Words, answer: str) -> Words:
    """The words after the subject with the answer where its object is missing."""
    adverbs, verb, others = split_adverbs(said)
    first = answer.split()[0]
    if verb == "do" and not is_in(first, "determiners") and not is_in(first, "pronouns"):
        if others[:1] == ["with"] and re.search(r"\b(?:it|them)\b", answer):
            return [*adverbs, re.sub(r"\b(?:it|them)\b", " ".join(others[1:]), answer)]
        return [*adverbs, answer, *others]
    return [*adverbs, verb, *others[: (cut := _gap(verb, others))], answer, *others[cut:]]


def _gap(verb: str, others: Words) -> int:
    """Before which of the words after the verb its object is missing."""
    if not others:
        return 0
    last = others[-1].lower()
    if is_in(last, "prepositions") and last not in _PARTICLES and last not in ("inside", "outside"):
        return len(others)
    if others[0].lower() == "to" and len(others) > 1:
        infinitive = is_in(verb, "control") or (verb in ("going", "have", "need") and len(others) == 2)
        return 2 if infinitive else 0
    if others[0].lower() in _PARTICLES:
        return 1
    if verb in _GIVING:
        ends = (i for i, word in enumerate(others) if is_in(word, "clauses") or is_in(word, "prepositions"))
        return next(ends, len(others))
    return 0
