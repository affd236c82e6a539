"""Questions, references and candidates as the classifier of answer equivalence reads them, once each."""

import string
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Self

from annotation_platform.core.methods.answer_overlap import ARTICLES, DELETE_PUNCTUATION, Normalised, normalise
from annotation_platform.core.methods.answer_words import (
    MONTHS,
    Word,
    clean,
    fold,
    join_initials,
    may_name_a_country,
    part,
    read_words,
    words_of,
)

ASKS = ("who", "when", "where", "how many", "how", "what", "which", "why", " and ")
UNKNOWN, AGREES, NOT_GIVEN, DIFFERS = -1.0, 2.0, 1.0, 0.0
_NOT_ALPHANUMERIC = str.maketrans("", "", string.punctuation + string.whitespace)


_MOST_PIECES = 1 << 17
_UNKNOWN_WORD = (0.0, 0.0, 0.0, 0.0)


@dataclass(slots=True, eq=False)
class Weighed:
    """A word of a candidate, with what a `WordTable` knows about it: its weight, the square of its text-model weight,
    and its part of the log-odds in a candidate."""

    key: str
    form: str
    capital: bool
    is_number: bool
    weight: float
    square: float
    log_odds: float


class Piece(NamedTuple):
    """What stands between white space in a text: its words, what SQuAD's normalisation leaves of it, and its letters
    and digits alone."""

    words: tuple[Weighed, ...]
    normal: str
    squeezed: str


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """The words of one part of a pair and what they weigh in the text model."""

    keys: frozenset[str]
    squares: float = 0.0
    log_odds: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class WordTable:
    """What was learned about words: how rare each is, and what it says about a verdict in each part of a pair.

    Attributes
    ----------
    rarity : dict
        Inverse document frequency by key; a word that is not there weighs `rarest`.
    odds : dict
        By key: the square of its text-model weight, and its part of the log-odds in candidate, reference and
        question, before the pair's vector is scaled to length 1.
    intercept : float
    """

    rarity: Mapping[str, float]
    rarest: float
    odds: Mapping[str, tuple[float, float, float, float]] = field(default_factory=dict)
    intercept: float = 0.0
    pieces: "_Pieces" = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "pieces", _Pieces(self.weigh))

    def weigh(self, word: Word) -> Weighed:
        square, log_odds, _, _ = self.odds.get(word.key, _UNKNOWN_WORD)
        return Weighed(*word, word.is_number, self.rarity.get(word.key, self.rarest), square, log_odds)

    def segment(self, keys: Iterable[str], part: int) -> Segment:
        """Sums over the distinct words of a part: 1 candidate, 2 reference, 3 question."""
        distinct = dict.fromkeys(keys)
        known = [odds for key in distinct if (odds := self.odds.get(key)) is not None]
        return Segment(frozenset(distinct), sum([odds[0] for odds in known]), sum([odds[part] for odds in known]))

    def log_odds(self, *segments: Segment) -> float:
        """The text model: logistic regression on unit-length tf-idf of candidate, reference and question."""
        squares = sum([segment.squares for segment in segments])
        return self.intercept + (sum([segment.log_odds for segment in segments]) / squares**0.5 if squares else 0.0)


class _Pieces(dict[str, Piece]):
    """The pieces of folded texts, each read once; begun anew when there are very many."""

    def __init__(self, weigh: Callable[[Word], Weighed]) -> None:
        super().__init__()
        self.weigh = weigh

    def __missing__(self, text: str) -> Piece:
        if len(self) >= _MOST_PIECES:
            self.clear()
        parted = part(text)
        lower = text.lower().translate(DELETE_PUNCTUATION)
        words = tuple(map(self.weigh, words_of(parted)))
        piece = self[text] = Piece(words, "" if lower in ARTICLES else lower, _squeeze(parted))
        return piece

    def of(self, texts: list[str]) -> list[Piece]:
        return list(map(self.__getitem__, texts))


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """A question, read once for all its candidates."""

    keys: frozenset[str]
    segment: Segment
    features: list[float]

    @classmethod
    def read(cls, text: str, table: WordTable) -> Self:
        segment = table.segment((word.key for word in read_words(clean(text))), 3)
        lower = f" {text.lower()} "
        asked = [float(word in lower) for word in ASKS]
        return cls(segment.keys, segment, [*asked, float(len(segment.keys))])


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """A reference answer, read once for all candidates."""

    text: str
    normal: Normalised
    words: list[Word]
    keys: frozenset[str]
    weighted: list[tuple[str, float]]
    weight: float
    squeezed: str
    initials: str
    spaced: str
    trigrams: list[str]
    numbers: list[str]
    years: list[str]
    months: list[str]
    capital: bool
    segment: Segment

    @classmethod
    def read(cls, text: str, table: WordTable) -> Self:
        cleaned = join_initials(clean(text))
        normal = normalise(text)
        words = read_words(cleaned) or [Word(word, word, False) for word in normal]
        weighted = [(word.key, table.rarity.get(word.key, table.rarest)) for word in words]
        spaced = f" {' '.join(word.form for word in words)} "
        numbers = [word.key for word in words if word.is_number]
        segment = table.segment((word.key for word in words), 2)
        return cls(
            text=text,
            normal=Normalised.of(normal),
            words=words,
            keys=segment.keys,
            weighted=weighted,
            weight=sum([weight for _, weight in weighted]),
            squeezed=_squeeze(cleaned),
            initials="".join(word.form[0] for word in words),
            spaced=spaced,
            trigrams=[spaced[at : at + 3] for at in range(len(spaced) - 2)],
            numbers=numbers,
            years=[number for number in numbers if is_year(number)],
            months=[word.key for word in words if word.key in MONTHS],
            capital=any(word.capital for word in words),
            segment=segment,
        )


class Candidate:
    """A candidate answer beside its question: everything that does not depend on the reference."""

    __slots__ = (
        *("_forms", "features", "has_month", "names", "news", "news_numbers", "news_rank"),
        *("news_weight", "news_weights", "normal", "place", "segment", "spaced", "squeezed", "words", "years"),
    )

    def __init__(self, text: str, question: Question, table: WordTable) -> None:
        folded = fold(text)
        pieces = table.pieces.of(folded.split())
        if may_name_a_country(folded):
            words = [table.weigh(word) for word in read_words(part(folded))]
        else:
            words = [word for piece in pieces for word in piece.words]
        normal = [piece.normal for piece in pieces if piece.normal] if folded is text else []
        self.normal = Normalised.of(normal or normalise(text))
        self.words = words
        distinct = {word.key: word for word in words}
        self.place = dict(zip(distinct, range(len(distinct)), strict=True))
        self.spaced = f" {' '.join([word.form for word in words])} "
        self._forms: set[str] | None = None
        self.squeezed = "".join([piece.squeezed for piece in pieces])
        self.segment = Segment(
            frozenset(distinct),
            sum([word.square for word in distinct.values()]),
            sum([word.log_odds for word in distinct.values()]),
        )
        news = [word for key, word in distinct.items() if key not in question.keys]
        self.news = [word.key for word in news]
        self.news_rank = dict(zip(self.news, range(len(news)), strict=True))
        self.news_weights = [word.weight for word in news]
        self.news_weight = sum(self.news_weights)
        self.news_numbers = [word.key for word in news if word.is_number]
        self.years = [number for number in self.news_numbers if is_year(number)]
        self.has_month = not MONTHS.isdisjoint(self.place)
        self.names = {word.key for word in words[1:] if word.capital} - question.keys
        asked = len(question.keys)
        self.features = [
            float(len(words)),
            float(len(self.news)),
            self.news_weight,
            float(len(self.news_numbers)),
            float(len(self.names)),
            (len(self.place) - len(self.news)) / asked if asked else 0.0,
            float(folded.count(". ")),
        ]

    @property
    def forms(self) -> set[str]:
        if self._forms is None:
            self._forms = set(self.spaced.split())
        return self._forms

    def has_letters_of(self, reference: Reference) -> bool:
        """Whether it is the reference's letters, parted otherwise; never where there are digits, which spaces part."""
        letters = self.squeezed
        return letters == reference.squeezed and len(letters) > 1 and not any(map(str.isdigit, letters))

    def share_of_news(self, keys: frozenset[str]) -> float:
        """How much of what it says beyond the question is among these words, by weight."""
        shared = [weight for key, weight in zip(self.news, self.news_weights, strict=True) if key in keys]
        return sum(shared) / self.news_weight if self.news_weight else 0.0

    def share_there(self, numbers: Sequence[str]) -> float:
        """How many of these numbers it has."""
        return len([number for number in numbers if number in self.place]) / len(numbers) if numbers else UNKNOWN


def is_year(number: str) -> bool:
    """Whether a number is written with four digits, as the years that people ask for are."""
    return len(number) == 4 and number.isdecimal()


def _squeeze(text: str) -> str:
    """Lower case without ASCII's spaces and punctuation, which finds what a missing or a further space would hide."""
    return text.lower().translate(_NOT_ALPHANUMERIC)
