"""What the equivalence classifier sees of a question, its reference answers and a candidate, as numbers.

The paper's features are here (token F1, precision, recall), beside what helps: how much of the reference the
candidate covers when rare words count more, whether numbers, years and months agree, where the match stands, what
else the candidate says. Of several references the one that the candidate covers best is compared in full; of the
others only how well they are covered enters.
"""

from collections.abc import Sequence
from functools import lru_cache

from annotation_platform.core.methods.equivalence.overlap import overlap_of_words, words_contain
from annotation_platform.core.methods.equivalence.reading import (
    AGREES,
    ASKS,
    DIFFERS,
    NOT_GIVEN,
    UNKNOWN,
    Candidate,
    Question,
    Reference,
    Weighed,
    WordTable,
    is_year,
)
from annotation_platform.core.methods.equivalence.words import MONTHS

COMPARED = (
    # The paper's.
    *("f1", "precision", "recall"),
    # The reference's words in the candidate. "Weighted" words count by their inverse document frequency, and
    # similar spellings and close numbers count in part. "News" are words that the question does not have.
    *("contained", "contains_candidate", "squeezed", "acronym", "trigrams"),
    *("covered", "news_covered", "rarest_missing", "rarest_found", "words_missing"),
    *("last_word", "first_word", "precision_weighted", "name_before"),
    # Numbers and dates: -1 where the reference has none.
    *("numbers", "other_numbers", "year", "years_apart", "month"),
    # Where the match stands: its first word among the candidate's news, and the words in between.
    *("match_at", "match_gaps"),
    # The reference itself, and the names in the candidate that it does not have.
    *("reference_words", "reference_weight", "reference_capital", "reference_in_question", "other_names"),
)
OVER_REFERENCES = (
    *("best_trigrams", "best_squeezed", "references", "references_covered", "share_covered", "mean_covered"),
)
OF_CANDIDATE = (*("candidate_words", "news", "news_weight", "new_numbers", "names", "question_covered", "sentences"),)
OF_QUESTION = (*(f"asks_{word.strip().replace(' ', '_')}" for word in ASKS), "question_words")
TEXT = "text"
FEATURES = (*COMPARED, *OVER_REFERENCES, *OF_CANDIDATE, *OF_QUESTION, TEXT)
"""The names of the classifier's inputs, in order; `TEXT` is the log-odds of the words alone."""

SIMILAR_SPELLING = 0.6
"""Two words count as spelled alike from this Dice coefficient of their letter pairs."""

_COVERED = 0.7
_FOUND = 0.5
_NO_MATCH = 60.0


def compare(
    question: Question, references: Sequence[Reference], candidate: Candidate, table: WordTable
) -> tuple[Reference, list[float]]:
    """The closest reference, and the values of `FEATURES`.

    The closest is the reference of which the candidate covers most: its weighted words, its letter triples, and half
    a point for the whole of it without spaces; the first of equals.
    """
    covered = [_covered(one, candidate) for one in references]
    trigrams = [_trigrams(one, candidate) for one in references]
    squeezed = [float(len(one.squeezed) > 2 and one.squeezed in candidate.squeezed) for one in references]
    closest = 0
    if len(references) > 1:
        shares = zip(covered, trigrams, squeezed, strict=True)
        closeness = [words + threes + whole / 2 for words, threes, whole in shares]
        closest = closeness.index(max(closeness))
    reference = references[closest]
    well_covered = len([share for share in covered if share > _COVERED])
    found = _hits(reference, candidate)
    ranks = candidate.ranks(reference.keys)
    return reference, [
        *overlap_of_words(candidate.normal, reference.normal),
        float(words_contain(candidate.normal, reference.normal)),
        float(words_contain(reference.normal, candidate.normal)),
        squeezed[closest],
        float(_is_acronym(reference, candidate)),
        trigrams[closest],
        *_coverage(reference, candidate, found, question),
        found[-1],
        found[0],
        candidate.share_of_news(ranks),
        _name_before(reference, candidate),
        *_numbers(reference, candidate, found),
        *_where(reference, candidate, ranks),
        len(reference.words),
        reference.weight,
        float(reference.capital),
        len(reference.keys & question.keys) / len(reference.keys),
        len(candidate.names - reference.keys),
        max(trigrams),
        max(squeezed),
        len(references),
        well_covered,
        well_covered / len(references),
        sum(covered) / len(references),
        *candidate.features,
        *question.features,
        table.log_odds(candidate.segment, reference.segment, question.segment),
    ]


def _hits(reference: Reference, candidate: Candidate) -> list[float]:
    """For each word of the reference, 1 if the candidate has it, less for a number or spelling that is close."""
    return [1.0 if word.key in candidate.place else _near(word, candidate) for word in reference.words]


def _is_acronym(reference: Reference, candidate: Candidate) -> bool:
    """Whether one has the initials of the other's words, of all the reference's or of some side by side."""
    if len(reference.initials) > 1 and reference.initials in candidate.place:
        return True
    return bool(reference.acronym) and reference.acronym in candidate.initials


def _near(word: Weighed, candidate: Candidate) -> float:
    if word.is_number:
        return _near_number(word.key, candidate.news_numbers)
    form = word.form
    if 1 < len(form) < 5 and f" {' '.join(form)} " in candidate.spaced:
        return 1.0
    if len(form) < 4:
        return 0.0
    first, last = form[0], form[-1]
    alike = [
        _alike(form, other)
        for other in candidate.forms
        if (other[0] == first or other[-1] == last) and other not in MONTHS
    ]
    best = max(alike, default=0.0)
    return best if best >= SIMILAR_SPELLING else 0.0


def _name_before(reference: Reference, candidate: Candidate) -> float:
    """Of a name of several words whose last word is in the candidate: whether another name stands before it there, or
    one of the reference's, short or long (*K.*, *Kat*, *Kathleen*)."""
    last = reference.words[-1]
    if len(reference.words) == 1 or not last.capital or last.key not in candidate.place:
        return UNKNOWN
    words, names = candidate.words, [word.form for word in reference.words[:-1]]
    found = DIFFERS
    for place in candidate.places(last.key):
        before = words[place - 1] if place else None
        if before is None or not before.capital:
            found = NOT_GIVEN
        elif any(name.startswith(before.form) or before.form.startswith(name) for name in names):
            return AGREES
    return found


def _near_number(number: str, others: Sequence[str]) -> float:
    """At most 0.6, falling to 0 at a tenth's difference; 1 for a year to which a footnote's mark clings (19791)."""
    if is_year(number):
        return float(any(other[:4] == number and len(other) < 7 and other.isdecimal() for other in others))
    value = _float(number)
    if not value or not others:
        return 0.0
    found = [other for other in map(_float, others) if other is not None]
    return max([0.0, *(0.6 * (1 - 10 * abs(value - other) / value) for other in found)])


@lru_cache(maxsize=1 << 14)
def _float(number: str) -> float | None:
    try:
        return float(number)
    except ValueError:  # 22.3.2018
        return None


@lru_cache(maxsize=1 << 16)
def _alike(one: str, other: str) -> float:
    """Dice coefficient of the words' letter pairs, 0..1."""
    mine = {one[at : at + 2] for at in range(len(one) - 1)}
    theirs = {other[at : at + 2] for at in range(len(other) - 1)}
    return 2 * len(mine & theirs) / (len(mine) + len(theirs))


def _covered(reference: Reference, candidate: Candidate) -> float:
    place = candidate.place
    return sum([weight for key, weight in reference.weighted if key in place]) / reference.weight


def _trigrams(reference: Reference, candidate: Candidate) -> float:
    spaced = candidate.spaced
    if reference.spaced in spaced:
        return 1.0
    return sum(map(spaced.__contains__, reference.trigrams)) / len(reference.trigrams)


def _coverage(
    reference: Reference, candidate: Candidate, found: Sequence[float], question: Question
) -> tuple[float, float, float, float, float]:
    """Weighted shares of the reference found: of all, and of what is news. Then the weight of the rarest word that is
    missing, of the rarest that is there, and how many are missing."""
    got = news = news_got = rarest_missing = rarest_found = missing = 0.0
    for (key, weight), hit in zip(reference.weighted, found, strict=True):
        got += weight * hit
        if key not in question.keys:
            news += weight
            news_got += weight * hit
        if hit < _FOUND:
            missing += 1
            rarest_missing = max(rarest_missing, weight)
        else:
            rarest_found = max(rarest_found, weight)
    whole = reference.weight
    return got / whole, news_got / news if news else UNKNOWN, rarest_missing, rarest_found, missing


def _numbers(
    reference: Reference, candidate: Candidate, found: Sequence[float]
) -> tuple[float, float, float, float, float]:
    """Shares of the reference's numbers, and of those that are no years, which the candidate has; whether the year
    agrees, how far the years are apart, and whether the month agrees."""
    years, months = reference.years, reference.months
    if not (reference.numbers or months):
        return UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN
    year = month = years_apart = UNKNOWN
    if years:
        exact = [key for (key, _), hit in zip(reference.weighted, found, strict=True) if hit == 1 and is_year(key)]
        year = AGREES if exact else DIFFERS if candidate.years else NOT_GIVEN
        apart = [abs(int(mine) - int(other)) for mine in years for other in candidate.years]
        years_apart = float(min(apart, default=UNKNOWN))
    if months:
        there = any(key in candidate.place for key in months)
        month = AGREES if there else DIFFERS if candidate.has_month else NOT_GIVEN
    exact_numbers = [hit == 1 for word, hit in zip(reference.words, found, strict=True) if word.is_number]
    others = [number for number in reference.numbers if not is_year(number)]
    share = sum(exact_numbers) / len(exact_numbers) if exact_numbers else UNKNOWN
    return share, candidate.share_there(others), year, years_apart, month


def _where(reference: Reference, candidate: Candidate, ranks: Sequence[int]) -> tuple[float, float]:
    place = candidate.place
    places = [place[key] for key in reference.keys if key in place]
    return (
        float(ranks[0]) if ranks else _NO_MATCH,
        float(max(places) - min(places) + 1 - len(places)) if places else _NO_MATCH,
    )
