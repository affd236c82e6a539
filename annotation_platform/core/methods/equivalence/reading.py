"""Questions, references and candidates as the classifier of answer equivalence reads them, once each."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Self

from annotation_platform.core.methods.equivalence.overlap import ARTICLES, DELETE_PUNCTUATION, Normalised, normalise
from annotation_platform.core.methods.equivalence.words import (
    MONTHS,
    Word,
    fold,
    has_initials,
    join_initials,
    may_be_of_a_country,
    may_name_a_country,
    name_countries,
    part,
    word_of,
    words_of,
)

ASKS = ("who", "when", "where", "how many", "how", "what", "which", "why", " and ")
UNKNOWN, AGREES, NOT_GIVEN, DIFFERS = -1.0, 2.0, 1.0, 0.0


_MOST_PIECES = 1 << 17
_AROUND = '.,;:!?()[]"'  # part no words and are deleted
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


@dataclass(slots=True, eq=False)
class Piece:
    """What stands between white space in a text: its words, what SQuAD's normalisation leaves of it, its letters and
    digits alone, and whether it may be of a country's name, which can have spaces in it."""

    words: list[Weighed]
    normal: str
    squeezed: str
    of_country: bool


@dataclass(slots=True, eq=False)
class Text:
    """A text without accents, its words, what SQuAD's normalisation leaves of it, its letters and digits alone."""

    folded: str
    words: list[Weighed]
    normal: list[str]
    squeezed: str


@dataclass(slots=True, eq=False)
class Segment:
    """What the words of one part of a pair weigh in the text model."""

    squares: float
    log_odds: float


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

    weigh: Callable[[Word], Weighed] = field(init=False, repr=False)
    words_in: Callable[[str], list[Weighed]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "weigh", lru_cache(_MOST_PIECES)(self._weigh))
        object.__setattr__(
            self, "words_in", lru_cache(_MOST_PIECES)(lambda text: list(map(self.weigh, words_of(text))))
        )
        object.__setattr__(self, "pieces", _Pieces(self.weigh))

    def _weigh(self, word: Word) -> Weighed:
        key, form, capital = word
        square, log_odds, _, _ = self.odds.get(key, _UNKNOWN_WORD)
        return Weighed(key, form, capital, key[0].isdigit(), self.rarity.get(key, self.rarest), square, log_odds)

    def read(self, text: str, *, initials_joined: bool = False) -> "Text":
        """The words of a text, `read_words` of the cleaned one; and `normalise` of it; from its pieces.

        With ``initials_joined`` the words are those after `join_initials`, which may join several pieces.
        """
        folded = fold(text)
        pieces = self.pieces.of(folded.split())
        given = pieces if folded is text else self.pieces.of(text.split())
        if initials_joined and has_initials(folded):
            words = self._words_of(name_countries(join_initials(part(folded))))
        elif True in [piece.of_country for piece in pieces] and may_name_a_country(parted := part(folded)):
            words = self._words_of(name_countries(parted))
        else:
            words = [word for piece in pieces for word in piece.words]
        normal = [piece.normal for piece in given if piece.normal] or normalise(text)
        return Text(folded, words, normal, "".join([piece.squeezed for piece in pieces]))

    def _words_of(self, text: str) -> list[Weighed]:
        """`words_of` a text, from its pieces."""
        return [word for piece in text.split() for word in self.words_in(piece)]

    def segment(self, distinct: Iterable[str], part: int) -> Segment:
        """Sums over the distinct words of a part: 1 candidate, 2 reference, 3 question."""
        known = [odds for key in distinct if (odds := self.odds.get(key)) is not None]
        return Segment(sum([odds[0] for odds in known]), sum([odds[part] for odds in known]))

    def log_odds(self, *segments: Segment) -> float:
        """The text model: logistic regression on unit-length tf-idf of candidate, reference and question."""
        squares = log_odds = 0.0
        for segment in segments:
            squares += segment.squares
            log_odds += segment.log_odds
        return self.intercept + (log_odds / squares**0.5 if squares else 0.0)


class _Pieces(dict[str, Piece]):
    """The pieces of folded texts, each read once; begun anew when there are very many."""

    def __init__(self, weigh: Callable[[Word], Weighed]) -> None:
        super().__init__()
        self.weigh = weigh

    def __missing__(self, text: str) -> Piece:
        if len(self) >= _MOST_PIECES:
            self.clear()
        of_country, bare = may_be_of_a_country(text), text.strip(_AROUND)
        if bare.isalpha() and (bare.islower() or bare.istitle()):  # most are: one word, and nothing to part or delete
            normal = squeezed = bare.lower()
            word = word_of(bare)
            words = [self.weigh(word)] if word else []
        else:
            parted = part(text)
            normal, squeezed = text.lower().translate(DELETE_PUNCTUATION), _squeeze(parted)
            words = list(map(self.weigh, words_of(parted)))
        piece = self[text] = Piece(words, "" if normal in ARTICLES else normal, squeezed, of_country)
        return piece

    def of(self, texts: list[str]) -> list[Piece]:
        return list(map(self.__getitem__, texts))


@dataclass(slots=True, eq=False)
class Question:
    """A question, read once for all its candidates."""

    keys: frozenset[str]
    segment: Segment
    features: list[float]

    @classmethod
    def read(cls, text: str, table: WordTable) -> Self:
        distinct = dict.fromkeys([word.key for word in table.read(text).words])
        lower = f" {text.lower()} "
        asked = [float(word in lower) for word in ASKS]
        return cls(frozenset(distinct), table.segment(distinct, 3), [*asked, float(len(distinct))])


@dataclass(slots=True, eq=False)
class Reference:
    """A reference answer, read once for all candidates.

    ``is_number``: it has a number, and at least half of its words are numbers or months. ``acronym``: the whole of it
    where it may be the initials of other words, three to six capital letters, in lower case; else empty.
    """

    text: str
    normal: Normalised
    words: list[Weighed]
    keys: frozenset[str]
    weighted: list[tuple[str, float]]
    weight: float
    squeezed: str
    initials: str
    acronym: str
    spaced: str
    trigrams: list[str]
    numbers: list[str]
    years: list[str]
    months: list[str]
    is_number: bool
    capital: bool
    segment: Segment

    @classmethod
    def read(cls, text: str, table: WordTable) -> Self:
        read = table.read(text, initials_joined=True)
        words = read.words or [table.weigh(Word(word, word, False)) for word in read.normal]
        weighted = [(word.key, word.weight) for word in words]
        forms = [word.form for word in words]
        spaced = f" {' '.join(forms)} "
        numbers = [word.key for word in words if word.is_number]
        months = [word.key for word in words if word.key in MONTHS]
        distinct = dict.fromkeys([word.key for word in words])
        return cls(
            text=text,
            normal=Normalised.of(read.normal),
            words=words,
            keys=frozenset(distinct),
            weighted=weighted,
            weight=sum([weight for _, weight in weighted]),
            squeezed=read.squeezed,
            initials="".join([form[0] for form in forms]),
            acronym=text.lower() if len(words) == 1 and 2 < len(text) < 7 and text.isupper() else "",
            spaced=spaced,
            trigrams=[spaced[at : at + 3] for at in range(len(spaced) - 2)],
            numbers=numbers,
            years=[number for number in numbers if is_year(number)],
            months=months,
            is_number=bool(numbers) and 2 * (len(numbers) + len(months)) >= len(words),
            capital=any(word.capital for word in words),
            segment=table.segment(distinct, 2),
        )


class Candidate:
    """A candidate answer beside its question: everything that does not depend on the reference."""

    __slots__ = (
        *("_forms", "features", "names", "news_numbers", "news_rank", "news_weight", "news_weights"),
        *("normal", "place", "segment", "spaced", "squeezed", "words"),
    )

    def __init__(self, text: str, question: Question, table: WordTable) -> None:
        read = table.read(text)
        self.words = words = read.words
        self.normal = Normalised.of(read.normal)
        self.squeezed = read.squeezed
        self.spaced = f" {' '.join([word.form for word in words])} "
        self._forms: set[str] | None = None
        self._read(words, question.keys)
        self.names = {word.key for word in words[1:] if word.capital} - question.keys
        asked = len(question.keys)
        self.features: list[float] = [
            len(words),
            len(self.news_rank),
            self.news_weight,
            len(self.news_numbers),
            len(self.names),
            (len(self.place) - len(self.news_rank)) / asked if asked else 0.0,
            read.folded.count(". "),
        ]

    def _read(self, words: Iterable[Weighed], asked: frozenset[str]) -> None:
        """The distinct words, and those of them that the question does not have, in one go: this is where time goes."""
        self.place: dict[str, int] = {}
        self.news_rank: dict[str, int] = {}
        self.news_weights: list[float] = []
        self.news_numbers: list[str] = []
        place, rank, weights = self.place, self.news_rank, self.news_weights
        squares = log_odds = news_weight = 0.0
        for word in words:
            key = word.key
            if key not in place:
                place[key] = len(place)
                squares += word.square
                log_odds += word.log_odds
                if key not in asked:
                    rank[key] = len(rank)
                    weights.append(word.weight)
                    news_weight += word.weight
                    if word.is_number:
                        self.news_numbers.append(key)
        self.segment = Segment(squares, log_odds)
        self.news_weight = news_weight

    @property
    def forms(self) -> set[str]:
        if self._forms is None:
            self._forms = set(self.spaced.split())
        return self._forms

    @property
    def years(self) -> list[str]:
        """Those that the question does not have."""
        return [number for number in self.news_numbers if is_year(number)]

    @property
    def has_month(self) -> bool:
        return not MONTHS.isdisjoint(self.place)

    @property
    def initials(self) -> str:
        return "".join([word.form[0] for word in self.words])

    def parted_otherwise(self, references: Iterable[Reference]) -> list[Reference]:
        """Those that have its very letters; none where there are digits, which spaces part."""
        letters = self.squeezed
        same = [reference for reference in references if reference.squeezed == letters]
        return same if same and len(letters) > 1 and not any(map(str.isdigit, letters)) else []

    def places(self, key: str) -> list[int]:
        """The places of a word among all its words."""
        return [place for place, word in enumerate(self.words) if word.key == key] if key in self.place else []

    def ranks(self, keys: frozenset[str]) -> list[int]:
        """The places, ascending, of these words among those that it has beyond the question."""
        return sorted([self.news_rank[key] for key in keys if key in self.news_rank])

    def share_of_news(self, ranks: Sequence[int]) -> float:
        """How much of what it says beyond the question is at these places, by weight."""
        return sum([self.news_weights[rank] for rank in ranks]) / self.news_weight if self.news_weight else 0.0

    def share_there(self, numbers: Sequence[str]) -> float:
        """How many of these numbers it has."""
        return len([number for number in numbers if number in self.place]) / len(numbers) if numbers else UNKNOWN


def is_year(number: str) -> bool:
    """Whether a number is written with four digits, as the years that people ask for are."""
    return len(number) == 4 and number.isdecimal()


def _squeeze(text: str) -> str:
    """Lower case without white space and ASCII's punctuation: finds what a missing or a further space would hide."""
    return "".join(text.lower().translate(DELETE_PUNCTUATION).split())
