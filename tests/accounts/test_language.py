"""Every error has a code; every code has a sentence in each language, and gets what its sentence names."""

import ast
from collections.abc import Iterator
from functools import cache
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import pytest
from django.conf import settings
from django.test import Client
from django.utils import translation
from django.utils.translation import trans_real

from annotation_platform.accounts.language import in_language, lines_in_language
from annotation_platform.core.errors import CodedError, InvalidInputError, NotThereError
from annotation_platform.core.reasons import Plural, Reason, add_sentences, all_sentences, parameters_of

SOURCE = Path(settings.BASE_DIR) / "annotation_platform"
NOT_TOLD = {"reasons", "said"}  # what an error carries beside its sentence


class Use(NamedTuple):
    """A place in the source where an error or a reason is made from a code that is written there."""

    where: str
    text: str
    parameters: frozenset[str]
    is_open: bool
    """Whether parameters are added that do not stand there (``**found``)."""


def kinds_of(kind: type[BaseException]) -> Iterator[type[BaseException]]:
    yield kind
    for each in kind.__subclasses__():
        yield from kinds_of(each)


KINDS = {kind.__name__ for kind in kinds_of(CodedError)} | {"Reason"}


def sources() -> Iterator[Path]:
    """All modules but those that hold the sentences."""
    return (path for path in SOURCE.rglob("*.py") if not path.name.startswith("sentences"))


@cache
def uses() -> list[Use]:
    files = (path for path in sources() if "migrations" not in path.parts)
    return list(chain.from_iterable(map(uses_in, files)))


def uses_in(path: Path) -> Iterator[Use]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node, owner in with_class(tree, ""):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if (owner if name == "__init__" else name) not in KINDS:
            continue
        first = node.args[0]
        for text in [first.body, first.orelse] if isinstance(first, ast.IfExp) else [first]:
            if isinstance(text, ast.Constant | ast.JoinedStr | ast.BinOp):
                said = text.value if isinstance(text, ast.Constant) else ast.unparse(text)
                names = {keyword.arg for keyword in node.keywords} - NOT_TOLD
                where = f"{path.relative_to(SOURCE)}:{node.lineno}"
                yield Use(where, str(said), frozenset(name for name in names if name), None in names)


def with_class(node: ast.AST, owner: str) -> Iterator[tuple[ast.AST, str]]:
    """Every node with the name of the class that it stands in."""
    for child in ast.iter_child_nodes(node):
        inside = child.name if isinstance(child, ast.ClassDef) else owner
        yield child, inside
        yield from with_class(child, inside)


def forms_of(code: str) -> list[str]:
    sentence = all_sentences()[code]
    return [sentence.one, sentence.other] if isinstance(sentence, Plural) else [sentence]


def in_japanese(code: str) -> str:
    """The sentence of the catalogue, with its parameters' names; "" when there is none."""
    catalogue = trans_real.translation("ja")._catalog  # type: ignore[attr-defined]
    sentence = all_sentences()[code]
    key = (sentence.one, 0) if isinstance(sentence, Plural) else sentence
    return str(catalogue.get(key, ""))


def test_a_code_has_a_japanese_sentence_that_names_the_same() -> None:
    named = {
        code: (parameters_of(sentence), parameters_of(in_japanese(code))) for code, sentence in all_sentences().items()
    }
    assert [code for code in named if not in_japanese(code)] == []
    assert [code for code, (english, japanese) in named.items() if english != japanese] == []


def test_a_code_stands_wherever_an_error_is_made() -> None:
    assert [f"{use.where}: {use.text}" for use in uses() if use.text not in all_sentences()] == []


def test_what_a_sentence_names_is_given_wherever_its_error_is_made() -> None:
    lacking = [
        f"{use.where}: {use.text} lacks {sorted(needed - use.parameters)}"
        for use in uses()
        if use.text in all_sentences()
        and not use.is_open
        and not (needed := parameters_of(all_sentences()[use.text])) <= use.parameters
    ]
    assert lacking == []


def test_a_code_is_used_somewhere() -> None:
    source = "\n".join(path.read_text(encoding="utf-8") for path in sources())
    assert [code for code in all_sentences() if f'"{code}"' not in source] == []


def test_an_error_is_told_in_the_readers_language() -> None:
    error = NotThereError("sentences.no_sentence", number=9, most=8)
    assert str(error) == "There is no sentence 9. Numbers lie between 1 and 8."
    assert (error.reason.code, error.reason.parameters) == ("sentences.no_sentence", {"number": 9, "most": 8})
    with translation.override("ja"):
        assert in_language(error) == "文9はありません。番号は1から8までです。"
        assert str(error) == "There is no sentence 9. Numbers lie between 1 and 8."


def test_a_reason_within_a_reason_is_told_in_the_same_language() -> None:
    why = Reason("sentences.no_name", name="R0")
    reason = Reason("judgment.unread_sentence", why=why)
    assert reason == "This must be a list of sentence numbers. “R0” names no sentence."
    with translation.override("ja"):
        assert in_language(reason) == "文番号のリストにしてください。「R0」は文の番号ではありません。"


@pytest.mark.parametrize(
    ("count", "sentence"),
    [
        (1, "1 question without reference documents: “Why?”."),
        (1200, "1,200 questions without reference documents: “Why?”."),
    ],
)
def test_a_sentence_goes_by_the_number_that_it_names(count: int, sentence: str) -> None:
    with translation.override("en"):
        assert in_language(Reason("studies.lacks_documents", count=count, questions="“Why?”")) == sentence


def test_every_reason_of_an_error_is_told_in_the_readers_language() -> None:
    error = InvalidInputError("studies.corpus_unfit", [Reason("studies.corpus_without_answers"), "column b"])
    with translation.override("ja"):
        assert lines_in_language(error)[1:] == ["コーパスに判定する回答がありません。", "column b"]


def test_a_code_cannot_get_two_sentences() -> None:
    with pytest.raises(ValueError, match="has another sentence already"):
        add_sentences({"judgment.choose_one": "Choose two."})
    with pytest.raises(ValueError, match="is no code"):
        add_sentences({"Choose two.": "Choose two."})


def test_an_error_page_speaks_the_readers_language(db: None, client: Client) -> None:
    page = client.get("/come-back/nonsense/", headers={"Accept-Language": "ja"})
    assert page.status_code == 422
    assert "このリンクは使えません" in page.content.decode()
