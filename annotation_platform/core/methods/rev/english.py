"""The little grammar that a declarative rewrite needs: forms of verbs, articles, and where a subject ends.

There is no parser: a subject is taken to end before the first word that can be the verb asked for. The words are in
english.toml.
"""

import re
import tomllib
from functools import cache
from pathlib import Path

FORMS_OF_BE = frozenset(["is", "are", "was", "were", "am", "be", "been", "being"])
_PLAIN = {"is", "are", "was", "were", "am", "do", "does", "did", "has", "have", "had"}
_MODALS = {"can", "could", "will", "would", "shall", "should", "may", "might", "must"}
_NEGATIVE = {"cannot", "can't", "won't", "shan't", *(f"{word}n't" for word in _PLAIN | _MODALS)}
AUXILIARIES = frozenset(_PLAIN | _MODALS | _NEGATIVE)
NEGATED = {"can't": "can", "won't": "will", "shan't": "shall", "ain't": "is"}
BREAKS = frozenset(["that", "which", "who", "where", "when"])
"""Words that begin a clause inside a subject, whose verb is not the one that is looked for."""

_VOWEL_SOUND = re.compile(r"(?!uni|use|usu|euro|one\b|u[bst]e)[aeiou]|hour|honest|heir", re.IGNORECASE)


@cache
def _lists() -> dict[str, frozenset[str]]:
    data = tomllib.loads(Path(__file__).with_name("english.toml").read_text(encoding="utf-8"))
    lists = {name: frozenset(words.split()) for name, words in data["classes"].items()}
    return {**lists, "verbs": frozenset(data["verbs"].split()) | frozenset(data["irregular"])}


@cache
def _irregular() -> dict[str, tuple[str, str]]:
    data = tomllib.loads(Path(__file__).with_name("english.toml").read_text(encoding="utf-8"))
    return {base: (forms[0], forms[-1]) for base, forms in data["irregular"].items()}


@cache
def _bases() -> dict[str, str]:
    """From every finite form of a known verb, except the base itself, to its base."""
    found: dict[str, str] = {}
    for base in sorted(_lists()["verbs"]):
        for form in (third_person(base), past(base)):
            if form not in _lists()["verbs"]:
                found.setdefault(form, base)
    return found


def is_in(word: str, name: str) -> bool:
    """Whether a word is in one of the lists of english.toml."""
    return word.lower().strip(",") in _lists()[name]


def is_adverb(word: str) -> bool:
    """Whether a word is an adverb that may stand before a verb: often, legally."""
    return is_in(word, "adverbs") or (word.lower().endswith("ly") and len(word) > 5)


def is_verb(word: str) -> bool:
    """Whether a word can be a finite form of a known verb."""
    return is_in(word, "verbs") or word.lower() in _bases()


def is_participle(word: str) -> bool:
    """Whether a word looks like a participle: sitting, used, kept, called."""
    word = word.lower()
    if is_in(word, "no_participles") or word.endswith("eed"):
        return False
    if word.endswith(("ing", "ed")) and len(word) > 3:
        return True
    return any(word == participle for _, participle in _irregular().values())


def is_past_participle(word: str) -> bool:
    return is_participle(word) and not word.lower().endswith("ing")


def base_form(word: str) -> str:
    return _bases().get(word.lower(), word)


def third_person(base: str) -> str:
    """The form after he, she, it.

    Examples
    --------
    >>> [third_person(verb) for verb in ("catch", "carry", "have", "go", "play", "bake")]
    ['catches', 'carries', 'has', 'goes', 'plays', 'bakes']
    """
    if base in ("be", "have"):
        return {"be": "is", "have": "has"}[base]
    if re.search(r"(s|x|z|ch|sh|[^aeiou]o)$", base):
        return f"{base}es"
    return f"{base[:-1]}ies" if re.search(r"[^aeiou]y$", base) else f"{base}s"


def past(base: str) -> str:
    """The past tense.

    Examples
    --------
    >>> [past(verb) for verb in ("write", "carry", "stop", "bake", "open", "play")]
    ['wrote', 'carried', 'stopped', 'baked', 'opened', 'played']
    """
    if base in _irregular():
        return _irregular()[base][0]
    if base.endswith("e"):
        return f"{base}d"
    if re.search(r"[^aeiou]y$", base):
        return f"{base[:-1]}ied"
    doubled = re.fullmatch(r"[^aeiou]*[aeiou][^aeiouwxy]", base)
    return f"{base}{base[-1]}ed" if doubled else f"{base}ed"


def gerund(base: str) -> str:
    """The form after *by*.

    Examples
    --------
    >>> [gerund(verb) for verb in ("use", "see", "run", "lie", "pour")]
    ['using', 'seeing', 'running', 'lying', 'pouring']
    """
    if base.endswith("ie"):
        return f"{base[:-2]}ying"
    if base.endswith("e") and not base.endswith(("ee", "oe", "ye")):
        return f"{base[:-1]}ing"
    doubled = re.fullmatch(r"[^aeiou]*[aeiou][^aeiouwxy]", base)
    return f"{base}{base[-1]}ing" if doubled else f"{base}ing"


def finite(base: str, auxiliary: str) -> str:
    """The verb that stands for do, does or did with its base form: does + bake → bakes."""
    return {"do": base, "does": third_person(base), "did": past(base)}[auxiliary]


def is_plural(phrase: str) -> bool:
    """Whether a noun phrase looks plural: by its article, its pronoun or the s of its first noun."""
    words = re.findall(r"[\w'-]+", phrase.lower())
    head = words[: next((place for place, word in enumerate(words) if place and is_in(word, "prepositions")), None)]
    if not head or head[0] in ("a", "an", "one", "it", "he", "she", "this", "that", "each", "every"):
        return False
    if head[0] == "the" and is_in(head[-1], "unchanged"):
        return False
    if "and" in head or head[0] in ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "most"):
        return True
    return is_in(head[-1], "plurals") or is_in(head[0], "plurals") or bool(re.search(r"(?<![sui'])s$", head[-1]))


def with_article(before: str, answer: str) -> str:
    """What stands before a blank, with an a or an that suits the answer, and dropped where the answer has its own.

    Examples
    --------
    >>> with_article("She is a ", "actor"), with_article("She is a ", "an actor"), with_article("It has ", "a tail")
    ('She is an ', 'She is ', 'It has ')
    """
    article = re.search(r"\b(an?|the)\s+$", before, re.IGNORECASE)
    if article is None:
        return before
    if re.match(r"(an?|the|my|your|his|her|its|our|their)\s", answer, re.IGNORECASE):
        return before[: article.start()]
    if article[1].lower() == "the":
        return before
    return f"{before[: article.start()]}{article[1][0]}{'n' if _VOWEL_SOUND.match(answer) else ''} "


def subject_and_rest(words: list[str], *, verb: bool, whole: bool = False) -> tuple[list[str], list[str]]:
    """Cut what follows an auxiliary into the subject and what is said of it.

    Parameters
    ----------
    words : list of str
        What follows the auxiliary: ``["most", "old", "cats", "like", "milk"]``.
    verb : bool
        Whether a verb follows the subject (after do or can) or anything else (after is and have).
    whole : bool
        Whether there may be nothing but a subject: "Where is the old town hall?".

    Examples
    --------
    >>> subject_and_rest("most old cats like milk".split(), verb=True)
    (['most', 'old', 'cats'], ['like', 'milk'])
    >>> subject_and_rest("the moon in the sky".split(), verb=False)
    (['the', 'moon'], ['in', 'the', 'sky'])
    """
    if not words:
        return [], []
    if is_in(words[0], "pronouns") and not (len(words) > 1 and _goes_on(words, verb)):
        return words[:1], words[1:]
    first = 2 if is_in(words[0], "determiners") and len(words) > 1 else 1
    end = _before_verb(words, first) if verb else _before_complement(words, first, whole=whole)
    return words[:end], words[end:]


def _goes_on(words: list[str], verb: bool) -> bool:
    """Whether this or that is followed by a noun of its own."""
    if not is_in(words[0], "determiners"):
        return False
    return not (is_verb(words[1]) if verb else is_in(words[1], "determiners") or is_in(words[1], "prepositions"))


def _before_verb(words: list[str], first: int) -> int:
    inside_clause = False
    for place in range(first, len(words)):
        word = words[place].lower()
        if word in BREAKS:
            inside_clause = True
        elif is_adverb(word) or word == "be" or (is_in(word, "verbs") and not _is_noun_here(words, place)):
            return place
        elif inside_clause and is_verb(word):
            inside_clause = False
    # No known verb: then it is the word before a preposition, or the last one.
    near = next((place - 1 for place in range(first + 1, len(words)) if is_in(words[place], "prepositions")), None)
    return near if near is not None and words[near + 1].lower() != "of" else _after_noun(words, first)


def _is_noun_here(words: list[str], place: int) -> bool:
    """Whether a word that can be a verb is a noun: after a preposition or determiner, or before the verb."""
    before = words[place - 1].lower()
    if is_in(before, "prepositions") or is_in(before, "determiners"):
        return True
    following = words[place + 1 :]
    return bool(following) and is_in(following[0], "verbs") and following[0].lower() != "like"


def _before_complement(words: list[str], first: int, *, whole: bool) -> int:
    clause = next((place for place in range(first, len(words)) if is_in(words[place], "clauses")), len(words))
    for place in range(first, clause):
        word, before = words[place].lower(), words[place - 1].lower()
        if word == "to" and place > first:  # good to eat
            return place - 1
        if is_in(word, "prepositions") and word != "of" and before not in ("kind", "sort"):
            return place
        if is_in(word, "determiners") or is_adverb(word) or is_participle(word):
            return place
    return len(words) if whole else _after_noun(words[:clause], first)


def _after_noun(words: list[str], first: int) -> int:
    """With nothing to go by: before the last word, which is then the adjective or the verb."""
    return min(len(words), max(first, len(words) - 1))
