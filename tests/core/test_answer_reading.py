"""Texts are read piece by piece, each piece once: what comes out is what the text says as a whole."""

import string

from hypothesis import example, given
from hypothesis import strategies as st

from annotation_platform.core.methods.equivalence.classifier import load_default
from annotation_platform.core.methods.equivalence.overlap import normalise
from annotation_platform.core.methods.equivalence.reading import WordTable
from annotation_platform.core.methods.equivalence.words import clean, read_words

PIECES = (
    *("the", "A", "Rome", "ROME", "Rome's", "d’Arc", "bandAce", "aBcDe", "Spider-Man", "WHO", "who", "A+", "%", "50%"),
    *("1979–80", "1979-80", "19991", "22.3.2018", "1,200", "6th", "Sept.", "x1y2", "VIII", "twenty", "km", "...", "-"),
    *(
        "United",
        "States",
        "States,",
        "of",
        "America",
        "U.S.",
        "U.",
        "S.",
        "uk",
        "U.K.",
        "Great",
        "Britain",
        "44",
        "B.C.",
    ),
    *(
        "Soviet",
        "Union",
        "José",
        "ﬁne",
        "so\xadft",
        "İstanbul",
        "ΟΔΟΣ",
        "ß",
        "½",
        "²",
        "٣",
        "東京",
        "´",
        "\u0301",
        "_",
        "a_b",
    ),
)
SPACES = (" ", "  ", "\n", "\t", "\xa0", "\u2003", "\x1c", "\x85", "")
texts = st.lists(st.tuples(st.sampled_from(PIECES) | st.text(max_size=5), st.sampled_from(SPACES)), max_size=8).map(
    lambda drawn: "".join(piece + space for piece, space in drawn)
)


@given(texts)
@example("in the United\nStates of America, 1979–80 bandAce")
@example("Great Britain\x1cand the U.S. ´A´")
@example("GreatBritain beside the UnitedStates, in a great treaty")
def test_the_pieces_of_a_text_read_alone_are_the_whole_text(text: str) -> None:
    for table in (load_default().table, WordTable(rarity={}, rarest=1.0)):  # one that has read others, and a new one
        read, whole = table.read(text), clean(text)
        assert [(word.key, word.form, word.capital) for word in read.words] == read_words(whole)
        assert read.normal == normalise(text)
        assert read.squeezed == "".join(
            letter for letter in whole.lower() if not letter.isspace() and letter not in string.punctuation
        )


@given(texts)
def test_a_text_is_read_the_same_again(text: str) -> None:
    table = WordTable(rarity={"rom": 0.5}, rarest=2.0, odds={"rom": (0.25, 1.0, 2.0, 3.0)})
    first, again = table.read(text), table.read(text)
    assert (first.words, first.normal, first.squeezed) == (again.words, again.normal, again.squeezed)
    for word in first.words:
        assert word.weight == (0.5 if word.key == "rom" else 2.0)
        assert (word.square, word.log_odds) == ((0.25, 1.0) if word.key == "rom" else (0.0, 0.0))
        assert word.is_number == word.key[0].isdigit()
