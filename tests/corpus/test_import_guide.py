"""The how-to's examples are files that import as the page says."""

import re
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation_platform.annotations.models import Annotation
from annotation_platform.core.schemes import build_scheme, preset, presets
from annotation_platform.corpus.importers import FORMATS, guess_format
from annotation_platform.corpus.models import Answer, Article
from annotation_platform.scoring.models import RecordedReply
from annotation_platform.studies.models import BatchState, Study

pytestmark = [pytest.mark.django_db, pytest.mark.pages]
GUIDE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "import-your-data.md"


def example(language: str) -> str:
    """The one block of that name: ``csv lfqa`` is the one after ```` ```csv lfqa ````."""
    (block,) = re.findall(rf"^```{language}\n(.*?)^```", GUIDE.read_text(encoding="utf-8"), flags=re.M | re.S)
    return block


def run(format: str, path: Path, **options: Any) -> None:
    quiet = {"stdout": StringIO(), "stderr": StringIO()}
    call_command("import_study", format, path, **{"name": "Small town news", **quiet, **options})


def test_the_native_example_imports_and_is_open_for_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "news.yaml"
    path.write_text(example("yaml"), encoding="utf-8")
    run("native", path)
    study = Study.objects.get(name="Small town news")
    sizes = dict(Article.objects.values_list("external_id", "sentence_count"))
    assert sizes == {"library": 3, "ferry": 2, "withheld": 0}
    assert Annotation.objects.count() == 2
    assert study.batches.get().state == BatchState.OPEN


def test_the_release_example_imports_and_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "inq_annotations.json"
    path.write_text(example("json"), encoding="utf-8")
    run("ebr", path)
    assert RecordedReply.objects.get().reply == "Score: 20"
    assert Article.objects.get().external_id == "inq-50"
    assert Annotation.objects.closed().count() == 1


def test_the_example_with_the_mistakes_of_the_page_is_refused_in_the_words_of_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = example("yaml").replace("anchor: 1", "anchor: 9", 1).replace("missing_minor", "total", 1)
    Path("news.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(CommandError) as caught:
        run("native", Path("news.yaml"))
    monkeypatch.undo()
    assert f"```\n{caught.value}\n```" in GUIDE.read_text(encoding="utf-8"), str(caught.value)
    assert not Study.objects.exists()


@pytest.mark.parametrize(
    ("block", "format", "file", "options", "answers", "judgments"),
    [
        ("csv", "table", "t.csv", {"scheme": "ebr"}, 3, 3),
        ("csv lfqa", "table", "t.csv", {"scheme": "lfqa"}, 2, 1),
        ("json equivalence", "table", "t.jsonl", {"scheme": "equivalence"}, 2, 1),
        ("json acorn", "acorn", "ACORN.jsonl", {}, 1, 1),
        ("json evouna", "evouna", "NQ.json", {}, 2, 2),
        ("csv ecqa", "ecqa", "ecqa.csv", {}, 1, 0),
        ("json label_studio", "label_studio", "e.json", {"scheme": "equivalence", "map": ["result.comment=why"]}, 1, 1),
    ],
)
def test_the_other_examples_import_and_their_format_is_guessed(
    tmp_path: Path, block: str, format: str, file: str, options: dict[str, Any], answers: int, judgments: int
) -> None:
    path = tmp_path / file
    path.write_text(example(block), encoding="utf-8")
    assert guess_format(path, file).key == format
    run(format, path, **options)
    assert (Answer.objects.count(), Annotation.objects.count()) == (answers, judgments)
    assert Annotation.objects.closed().count() == judgments  # finished data


def test_the_guide_tells_of_every_format_and_of_every_preset_s_columns() -> None:
    text = GUIDE.read_text(encoding="utf-8")
    for key in FORMATS:
        assert f"| `{key}` |" in text
    for key in presets():
        (row,) = re.findall(rf"^\| `{key}` \| (`.*?) \|$", text, flags=re.M)
        assert set(re.findall(r"`([a-z_]+)`", row)) >= {aspect.key for aspect in build_scheme(preset(key)).aspects}
