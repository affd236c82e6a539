"""The pages about formats of other tools say what the importers do: names, limits, and what a folder stands for."""

import re
from collections.abc import Collection
from pathlib import Path

import pytest

from annotation_platform.corpus.importers import (
    FORMATS,
    helm,
    inspect_ai,
    lm_eval,
    outputs,
    packed,
    parquet,
    rows,
    staging,
    study,
)
from annotation_platform.corpus.importers.columns import FEWEST_ALIKE
from annotation_platform.corpus.importers.fields import ALIASES, MOST_BESIDE, NAMES_OF_THE_BEST
from annotation_platform.corpus.importers.labelers import argilla, controls, doccano, inception, potato
from annotation_platform.corpus.importers.labelers.label_studio_config import ASKED, TEXTS
from annotation_platform.corpus.importers.messages import OF_TOOLS, ROLES
from annotation_platform.corpus.importers.traces import format as traces
from annotation_platform.corpus.importers.traces import spans, trace, values
from annotation_platform.crowd.providers.prolific.participants import reading as participants
from annotation_platform.releases.labelers.argilla import RATINGS
from annotation_platform.releases.labelers.tools import TOOLS
from annotation_platform.releases.training import taking
from annotation_platform.releases.training.preferences import TrainingFormat

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES, GUIDE = DOCS / "reference" / "formats", DOCS / "how-to" / "import-your-data.md"
MB, GB = 1_000_000, 1_000_000_000


def words(page: Path) -> str:
    """A page with each run of blanks as one."""
    return " ".join(page.read_text(encoding="utf-8").split())


def test_the_guide_says_which_files_of_a_folder_each_format_reads() -> None:
    table = GUIDE.read_text(encoding="utf-8").partition("files of a folder |")[2].partition("\n\n")[0]
    said = {
        key: {*re.findall(r"`(.+?)`", files)}
        for keys, files in re.findall(r"^\| (`.*?) \| (.*) \|$", table, flags=re.MULTILINE)
        for key in re.findall(r"`(\w+)`", keys)
    }
    assert said == {key: {*format.in_folders} for key, format in FORMATS.items() if format.in_folders}


def test_the_guide_has_every_other_name_of_a_column() -> None:
    table = GUIDE.read_text(encoding="utf-8").partition("### Other names of columns")[2].partition("\n\nBlanks")[0]
    said: dict[str, str] = {}
    for fields, names in re.findall(r"^\| (.*?) \| (.*) \|$", table, flags=re.MULTILINE):
        keys, others = re.findall(r"`(\S+)`", fields), re.findall(r"`(\w+)`", names)
        others = [name for name in others if name != "_b"]
        if "_b" in names and "_a" in names and "the same" in names:
            others += [f"{name.removesuffix('_a')}_b" for name in others]
        for name in others:
            said[name] = keys[name.endswith("_b")] if len(keys) == 2 else keys[0] if keys else "best"
    assert said == {**ALIASES, **dict.fromkeys(NAMES_OF_THE_BEST, "best")}
    assert FEWEST_ALIKE == 4


LIMITS = [
    ("README.md", "texts of at most {:,} characters", outputs.LONGEST_VALUE),
    ("README.md", "at most {:,} of an answer", outputs.MOST_METRICS),
    ("argilla.md", "from 0 to {:,} are ratings", max(RATINGS)),
    ("datasets.md", "may unpack to {:,} GB", parquet.MOST_UNPACKED / GB),
    ("datasets.md", "{:,} rows, and", parquet.MOST_ROWS),
    ("datasets.md", "{:,} MB in a record batch", parquet.MOST_IN_GROUP / MB),
    ("doccano.md", "Up to {:,} different labels", doccano.MOST_LABELS),
    ("doccano.md", "of up to {:,} characters", doccano.LONGEST_LABEL),
    ("helm.md", "have {:,} MB", helm.WHOLE / MB),
    ("inception.md", "Files of up to {:,} MB", inception.LARGEST / MB),
    ("inspect.md", "({:,} MB at most)", inspect_ai.WHOLE / MB),
    ("inspect.md", "({:,} MB at most each;", packed.MOST_UNPACKED / MB),
    ("inspect.md", "{:,} files", packed.MOST_FILES),
    ("inspect.md", "{:,} GB in all", packed.MOST_UNPACKED_IN_ALL / GB),
    ("lm-eval.md", "Results may have {:,} MB", lm_eval.MOST_RESULTS / MB),
    ("potato.md", "may have {:,} MB", potato.LARGEST / MB),
    ("prolific.md", "a cell of more than {:,} characters", participants.LONGEST_VALUE),
    ("prolific.md", "At most {:,} columns about people", participants.MOST_COLUMNS),
    ("prolific.md", "with names of up to {:,} characters", participants.LONGEST_NAME),
    ("prolific.md", "the first {:,} of these", participants.MOST_TOLD),
    ("traces.md", "The first {:,} of a trace", trace.MOST_DOCUMENTS),
    ("traces.md", "the first {:,} characters of each", staging.LONGEST_TEXT),
    ("traces.md", "its title, source and address the first {:,}", staging.LIMITS["title"]),
    ("traces.md", "looks at the first {:,} of each file", traces.LOOKED_AT),
    ("traces.md", "one JSON object may have {:,} MB", traces.WHOLE / MB),
    ("traces.md", "an id of more than {:,} characters", spans.LONGEST_NAME),
    ("trl.md", "up to {:,} judgments", taking.MOST_AT_ONCE),
    ("import-your-data.md", "may have {:,} columns at most", rows.MOST_COLUMNS),
    ("import-your-data.md", "`KEY.1`) go up to {:,}", MOST_BESIDE),
    ("import-your-data.md", "multiple-choice question, {:,} at most", study.MOST_CHOICES),
    ("import-your-data.md", "a Parquet file {:,} rows", parquet.MOST_ROWS),
    ("import-your-data.md", "rows, {:,} GB, and", parquet.MOST_UNPACKED / GB),
    ("import-your-data.md", "and {:,} MB in a row group", parquet.MOST_IN_GROUP / MB),
]


@pytest.mark.parametrize(("page", "sentence", "most"), LIMITS, ids=[f"{page}: {said}" for page, said, _ in LIMITS])
def test_a_limit_is_the_importer_s(page: str, sentence: str, most: float) -> None:
    place = GUIDE if page == GUIDE.name else PAGES / page
    assert sentence.format(int(most)) in words(place)


def test_limits_that_pages_write_as_words() -> None:
    assert (controls.MOST_LABELS, controls.MOST_STARS, MOST_BESIDE) == (9, 10, 8)
    for page in ("argilla", "doccano", "inception", "label-studio", "potato", "prodigy"):
        assert "up to nine labels" in words(PAGES / f"{page}.md")
    assert "up to ten, else `range`" in words(PAGES / "label-studio.md")
    assert "1 the best; up to eight" in words(PAGES / "label-studio.md")
    assert staging.LIMITS["title"] == staging.LIMITS["source"] == staging.LIMITS["url"]


NAMES: list[tuple[str, Collection[str]]] = [
    ("README.md", [*ROLES, *OF_TOOLS]),
    ("label-studio.md", [*ASKED, *TEXTS]),
    ("helm.md", [helm.STATE, helm.STATS, *helm.PASSED_OVER]),
    ("doccano.md", [*(name for name in doccano.OF_LABELS), doccano.COMMENTS]),
    ("argilla.md", [argilla.SETTINGS]),
    ("traces.md", values.CONTEXT),
    ("trl.md", [each for each in TrainingFormat if each != TrainingFormat.JUDGE]),
]


@pytest.mark.parametrize(("page", "names"), NAMES, ids=[page for page, _ in NAMES])
def test_a_page_has_every_name_that_its_importer_takes(page: str, names: Collection[str]) -> None:
    said = {*re.findall(r"`(.+?)`", words(PAGES / page))}
    assert {*map(str, names)} <= said


def test_the_page_of_prolific_has_every_column_that_is_none_about_a_person() -> None:
    said = {name.casefold().replace("_", " ") for name in re.findall(r"`(.+?)`", words(PAGES / "prolific.md"))}
    assert said >= participants.OF_SUBMISSIONS


def test_every_page_is_listed_and_every_tool_of_the_way_back_has_its_command() -> None:
    listed = (PAGES / "README.md").read_text(encoding="utf-8").partition("\n## ")[0]
    assert {*re.findall(r"\]\((\S+\.md)\)", listed)} >= {page.name for page in PAGES.glob("*.md")} - {"README.md"}
    commands = "".join(words(page) for page in PAGES.glob("*.md"))
    assert all(f"release_for_labelers FOLDER {tool} " in commands for tool in TOOLS)
