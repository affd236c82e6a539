"""Where a number belongs and none that can be meant stands: the file is refused with the place, and no importer breaks.

Each number in the files that other tools wrote, and each text that reads as one, is replaced in turn.
"""

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from annotation_platform.core.schemes import preset, read_scheme
from annotation_platform.corpus.importers import FORMATS, ImportFileError, Options, open_files, read_study
from annotation_platform.corpus.importers.spelling import number_of
from tests.corpus.reading import read_files
from tests.corpus.test_judged_output import BENCH, EVALS, HELM, PAIR, RATED, STATS, vote
from tests.corpus.test_labelers import OF_POTATO
from tests.corpus.test_model_output import LM_EVAL, WRITTEN
from tests.corpus.test_published_formats import write
from tests.corpus.test_traces import OF_FORMAT, SCHEME
from tests.corpus.test_workbook import HEADER, save

HERE = "@here@"
STRANGE = {
    "too large": '"1e400"',
    "of another script": '"٣"',
    "infinite": "1e400",
    "a number of 400 digits": "9" * 400,
}
TRACES = {key: [WRITTEN / "traces" / name for name in names] for key, names in OF_FORMAT.items()}
STUDIES: dict[str, tuple[str, Sequence[Path], Mapping[str, Any] | None]] = {
    "inspect": ("inspect", [WRITTEN / "inspect.json"], preset("equivalence")),
    "lm_eval": ("lm_eval", LM_EVAL, preset("equivalence")),
    "openai_evals": ("openai_evals", EVALS, preset("equivalence")),
    "helm": ("helm", [*HELM, *STATS], preset("equivalence")),
    "mt_bench, pairs": ("mt_bench", BENCH, read_scheme(PAIR)),
    "mt_bench, scores": ("mt_bench", BENCH, read_scheme(RATED)),
    "label_studio": ("label_studio", [WRITTEN / "label_studio" / n for n in ("tasks.json", "config.xml")], None),
    "label_studio, min": ("label_studio", [WRITTEN / "label_studio" / n for n in ("min.json", "config.xml")], None),
    "argilla": ("argilla", [WRITTEN / "argilla" / n for n in ("settings.json", "records.json")], None),
    "potato": ("potato", OF_POTATO, None),
    "doccano": ("doccano", sorted((WRITTEN / "doccano" / "spans").iterdir()), None),
    "inception": ("inception", sorted((WRITTEN / "inception").glob("*.json")), None),
    "prodigy": ("prodigy", [WRITTEN / "prodigy" / "ner_manual.jsonl"], None),
    **{key: (key, [each for each in files if each.suffix != ".parquet"], SCHEME) for key, files in TRACES.items()},
}


def numbers(said: Any, *at: Any) -> Iterator[tuple[Any, ...]]:
    """The places of numbers in JSON, also of those that are written as texts."""
    inner = said.items() if isinstance(said, dict) else enumerate(said) if isinstance(said, list) else ()
    for key, each in inner:
        yield from numbers(each, *at, key)
    if at and not isinstance(said, bool | list | dict) and number_of(said) is not None:
        yield at


def changed(said: Any, at: Sequence[Any], to: Any) -> Any:
    if not at:
        return to
    first, *rest = at
    if isinstance(said, list):
        return [changed(each, rest, to) if n == first else each for n, each in enumerate(said)]
    return {key: changed(each, rest, to) if key == first else each for key, each in said.items()}


def parsed(path: Path) -> tuple[list[Any], bool]:
    """What a file of JSON says, or each of its lines, and which of both it is."""
    text = path.read_text(encoding="utf-8")
    try:
        return [json.loads(text)], False
    except json.JSONDecodeError:
        return [json.loads(line) for line in text.splitlines()], True


def kinds_of_places(path: Path) -> list[tuple[Any, ...]]:
    """One place of each kind, wherever in a list it stands."""
    said, _ = parsed(path)
    kinds = {tuple("*" if isinstance(key, int) else key for key in at): at for at in [*numbers(said)][::-1]}
    return [*kinds.values()]


def rewritten(path: Path, at: Sequence[Any], strange: str) -> None:
    said, are_lines = parsed(path)
    said = changed(said, at, HERE)
    text = (
        "\n".join(map(json.dumps, said))
        if are_lines
        else json.dumps(said[0], indent=1 if path.suffix == ".json" else None)
    )
    path.write_text(text.replace(f'"{HERE}"', strange), encoding="utf-8")


def mistakes_in(format: str, paths: Sequence[Path], definition: Mapping[str, Any] | None) -> list[str]:
    """What is refused of files, looked at and read as a page does; nothing but an ImportFileError comes of it."""
    chosen = FORMATS[format]
    names = [str(Path(*each.parts[-3:])) for each in paths]
    try:
        options = Options(definition=definition)
        chosen.preview_noted(json.loads(json.dumps(chosen.note(open_files(chosen, paths, names), options))), options)
        with read_study(chosen, open_files(chosen, paths, names), options) as study:
            list(study.answers()), list(study.questions())
    except ImportFileError as error:
        return error.reasons
    return []


@pytest.mark.long("annotation_platform/corpus/importers/**/*.py")
@pytest.mark.parametrize("study", STUDIES)
def test_no_number_breaks_an_importer(study: str, tmp_path: Path) -> None:
    format, files, definition = STUDIES[study]
    broken = []
    for number, path in enumerate(files):
        if path.suffix not in (".json", ".jsonl"):
            continue
        copies = [tmp_path / str(n) / each.relative_to(WRITTEN) for n, each in enumerate(files)]
        for original, copy in zip(files, copies, strict=True):
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(original, copy)
        for at in kinds_of_places(path):
            for strange in STRANGE.values():
                shutil.copyfile(path, copies[number])
                rewritten(copies[number], at, strange)
                try:
                    mistakes_in(format, copies, definition)
                except Exception as error:
                    broken.append(f"{path.name}: {at} as {strange[:20]}: {error!r:.200}")
    assert broken == []


# --- What is told -----------------------------------------------------------------------------------------


def told(format: str, *paths: Path, scheme: Mapping[str, Any] | None = None) -> str:
    with pytest.raises(ImportFileError) as caught:
        read_files(format, *paths, definition=scheme)
    return "\n".join(caught.value.reasons).replace(f"{paths[0].parent}/", "")


@pytest.mark.parametrize("written", ["1e400", "²", "9" * 5_000])
@pytest.mark.parametrize("column", ["anchor", "seconds", "replicate"])
def test_a_cell_of_a_table_is_told_by_row_and_column(column: str, written: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"article,question,answer,annotator,equivalent,{column}\nIt is.,Why?,So.,Wren,yes,{written}\n")
    words = told("table", path, scheme=preset("equivalence") | {"shown": ["article", "question", "answer"]})
    assert words.startswith("t.csv, line 2: ")
    assert (f"{column}:" in words) or (column == "seconds" and "seconds" in words)
    assert repr(written[:40])[1:-1] in words


def test_a_digit_of_another_script_is_read_as_the_number_it_is(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(
        "question,answer,reference_answers,annotator,equivalent,seconds\nWhy?,So.,So,Wren,yes,٣\n", encoding="utf-8"
    )
    (judgment,) = read_files("table", path, definition=preset("equivalence")).judgments
    assert judgment.seconds == 3


def test_a_column_that_is_called_by_thousands_of_digits_is_told_as_any_other(tmp_path: Path) -> None:
    name = "9" * 5_000
    rows = [{"question": "Why?", "answer": "So.", "reference_answers": "So", name: each} for each in ("a", "\x00")]
    assert told("table", write(tmp_path / "t.jsonl", *rows), scheme=preset("equivalence")).startswith("t.jsonl, line 2")


def test_a_cell_of_a_workbook_that_holds_no_number_is_told_as_spreadsheets_show_it(tmp_path: Path) -> None:
    path = save(tmp_path / "t.xlsx", Sheet=[HEADER, ["Why?", "So.", "So", "yes", "Wren", 12.25, None]])
    for written in ("1e400", "9" * 5_000, "many"):
        with ZipFile(path) as archive:
            parts = {name: archive.read(name) for name in archive.namelist()}
        parts["xl/worksheets/sheet1.xml"] = parts["xl/worksheets/sheet1.xml"].replace(b"12.25", written.encode())
        with ZipFile(tmp_path / "strange.xlsx", "w") as archive:
            for name, content in parts.items():
                archive.writestr(name, content)
        assert told("table", tmp_path / "strange.xlsx", scheme=preset("equivalence")) == (
            "strange.xlsx, row 2: seconds: holds the error #NUM!; mend the formula, or clear the cell"
        )


@pytest.mark.parametrize("written", ["1e400", "many", "9" * 5_000])
def test_the_turn_of_a_vote_is_told_by_row_and_field(written: str, tmp_path: Path) -> None:
    path = write(tmp_path / "votes.jsonl", vote("a", "alder", "birch", "tie") | {"turn": written})
    assert told("arena", path, scheme=read_scheme(PAIR)) == (
        f"votes.jsonl, line 1: turn: {written[:40]!r} is not a whole number from 1 to 32,767"
    )


@pytest.mark.parametrize("written", ["1e400", "many", "9" * 5_000])
@pytest.mark.parametrize(
    ("tag", "line", "field"),
    [('<Rating name="stars" toName="a" maxRating="5"/>', 16, "maxRating"), ('max="10"', 17, "max")],
)
def test_a_number_of_a_labelling_configuration_is_told_by_line_and_name(
    tag: str, line: int, field: str, written: str, tmp_path: Path
) -> None:
    config = (WRITTEN / "label_studio" / "config.xml").read_text()
    strange = tag.replace('"5"', f'"{written}"').replace('"10"', f'"{written}"')
    (tmp_path / "config.xml").write_text(config.replace(tag, strange))
    shutil.copyfile(WRITTEN / "label_studio" / "tasks.json", tmp_path / "tasks.json")
    words = told("label_studio", tmp_path / "config.xml", tmp_path / "tasks.json")
    assert words.startswith(f"config.xml, line {line}: {field}: {written[:40]!r} is not a")


@pytest.mark.parametrize("written", ["1e400", "many", "9" * 5_000])
def test_a_number_of_potato_s_configuration_is_told_by_its_name(written: str, tmp_path: Path) -> None:
    config = (WRITTEN / "potato" / "config.yaml").read_text()
    (tmp_path / "config.yaml").write_text(config.replace("size: 5", f"size: '{written}'"))
    shutil.copyfile(WRITTEN / "potato" / "items.jsonl", tmp_path / "items.jsonl")
    assert told("potato", tmp_path / "config.yaml", tmp_path / "items.jsonl") == (
        f"config.yaml: clarity.size: {written[:40]!r} is not a number"
    )


def test_a_number_of_thousands_of_digits_is_told_in_words_of_ours(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(
        '{"question": "Why?", "answer": "So.", "reference_answers": "So"}\n{"seconds": ' + "9" * 5_000 + "}\n"
    )
    words = told("table", path, scheme=preset("equivalence"))
    assert words == "t.jsonl, line 2: cannot be read as JSON (a number has more than 4,300 digits)"
    (tmp_path / "config.yaml").write_text(f"annotation_schemes:\n  - size: {'9' * 5_000}\n")
    words = told("potato", tmp_path / "config.yaml", scheme=preset("equivalence"))
    assert words == "config.yaml: cannot be read as YAML (a number has more than 4,300 digits)"


def test_the_turn_and_the_score_of_mt_bench_are_told_by_row_and_field(tmp_path: Path) -> None:
    files = [tmp_path / each.relative_to(WRITTEN) for each in BENCH]
    for original, copy in zip(BENCH, files, strict=True):
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(original, copy)
    scores = next(each for each in files if each.name.endswith("_single.jsonl"))
    rows = [json.loads(line) for line in scores.read_text().splitlines()]
    rows[0]["turn"], rows[1]["score"] = "1e400", "many"
    write(scores, *rows)
    words = told("mt_bench", *files, scheme=read_scheme(RATED))
    assert "gpt-4_single.jsonl, line 1: turn: '1e400' is not a whole number from 1 to 32,767" in words
    assert "gpt-4_single.jsonl, line 2: score: 'many' is not a number" in words
