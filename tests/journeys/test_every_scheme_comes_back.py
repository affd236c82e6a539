"""What people said under any scheme comes back from an export, judgment by judgment."""

import copy
import csv
import json
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import call_command
from openpyxl import Workbook

from annotation_platform.annotations.migrating import migrate_scheme
from annotation_platform.annotations.models import Annotation
from annotation_platform.core.schemes import preset, presets, read_scheme
from annotation_platform.corpus.importers import ImportFileError
from annotation_platform.corpus.models import Article
from annotation_platform.studies.models import Study
from tests.annotations import every_kind
from tests.core.whole_schemes import GROUP, ONE_ANSWER
from tests.corpus.reading import read_files
from tests.factories import OPERATOR, make_corpus, study_with_judgments
from tests.journeys.round_trip import judged_study, records
from tests.releases.rows import read_csv, score

pytestmark = [pytest.mark.django_db, pytest.mark.storage]
UNSURE = {"cannot_judge": "I cannot judge this"}
# Keys that are names of other columns, also of another aspect's.
NAMESAKES = """\
key: namesakes
title: Aspects that are called like columns
shown: [question, answer]
aspects:
  - {key: system, kind: stars, title: Quality}
  - {key: answer, kind: text, title: Your answer, required: false}
  - {key: revision, kind: several, title: Kinds, none_label: None, choices: [{key: a, label: A}, {key: b, label: B}]}
  - {key: revision_count, kind: yes_no, title: Counted}
  - {key: is_current, kind: yes_no, title: Up to date}
  - {key: candidate, kind: text, title: Of whom}
  - {key: draw_probability, kind: yes_no, title: Likely}
  - {key: metrics, kind: yes_no, title: Measured}
"""
TIED = """\
key: tied
title: Which is better?
shown: [question, candidates]
aspects:
  - {key: winner, kind: best_of, title: The better one, tie_label: They are equally good, forced_label: Both are bad}
"""
SCHEMES: dict[str, dict[str, Any]] = {
    **{key: preset(key) for key in presets()},
    "dish": read_scheme(ONE_ANSWER),
    "duel": read_scheme(GROUP) | UNSURE,
    "every_kind": every_kind.definition("every_kind") | UNSURE,
    "every_part": every_kind.definition("every_part") | UNSURE,
    "namesakes": read_scheme(NAMESAKES) | UNSURE,
    "tied": read_scheme(TIED),
}


def exported(study: Study, folder: Path, format: str, **options: Any) -> Path:
    file = folder / f"out.{format}"
    call_command(
        "export_study", study.name, format=format, output=file, stdout=StringIO(), stderr=StringIO(), **options
    )
    return file


def imported(file: Path, definition: dict[str, Any], name: str = "Again") -> tuple[Study, str]:
    """The study that a file makes, and what the command tells of it."""
    scheme, out = file.with_name("scheme.yaml"), StringIO()
    scheme.write_text(yaml.safe_dump(definition, allow_unicode=True), encoding="utf-8")
    call_command("import_study", "table", str(file), name=name, scheme=str(scheme), stdout=out, stderr=StringIO())
    return Study.objects.get(name=name), out.getvalue()


@pytest.mark.parametrize("key", SCHEMES)
def test_every_judgment_comes_back(tmp_path: Path, key: str) -> None:
    first = judged_study(SCHEMES[key])
    said = records(first)
    assert said
    for format in ("csv", "jsonl", "parquet", "spreadsheet"):
        again, told = imported(exported(first, tmp_path, format), SCHEMES[key], name=f"From {format}")
        assert records(again) == said, format
        assert "Left out" not in told


def test_what_an_earlier_version_of_the_scheme_accepted_comes_back_and_is_told(tmp_path: Path) -> None:
    first = study_with_judgments(corpus=make_corpus(articles=1, questions=1), annotators=2, name="First")
    data = copy.deepcopy(first.scheme_version.definition) | {"examples": []}
    reasons = next(each for each in data["aspects"] if each["key"] == "reasons")
    reasons["min_length"] = 4_000
    data["aspects"].insert(0, {"key": "clear", "kind": "yes_no", "title": "Is it clear?"})
    migrate_scheme(study=first, definition=data, actor=OPERATOR)
    first.refresh_from_db()
    newest = Annotation.objects.current().filter(item__study=first).order_by("pk").last()
    assert newest is not None
    Annotation.objects.filter(pk=newest.pk).update(values=newest.values | {"clear": "yes"})
    newest.ratings.create(aspect="clear", choice="yes", number=1)
    score(first)
    said = records(first)
    assert {tuple(each["under_earlier_rule"]) for each in said} == {("reasons",)}

    again, told = imported(exported(first, tmp_path, "csv", all_revisions=True), data)
    assert records(again) == said
    assert "5 judgments say nothing about “Is it clear?”, which is asked for" in told
    assert "Exports hold no texts of documents: one comes back without" in told
    left_out = [line.removeprefix("Left out: ") for line in told.splitlines() if line.startswith("Left out")]
    assert sorted(left_out) == [
        "5 scores; score the new study again.",
        "6 numbers of later revisions; each judgment comes back as a first one.",
        "6 rows of revisions that others have replaced; the last ones count.",
    ]


# Column, what is written there in one row of a group, and what is told.
MISTAKES = [
    ("preferred", "perhaps", "preferred: 'perhaps' is neither 1, yes or true, nor 0, no or false"),
    ("presented", "1 1", "presented: says that the candidates 1, 1 were shown; the file has 1, 2"),
    ("presented", "first", "presented: 'first' are no numbers of candidates with blanks between"),
    ("candidate", "7", "is there already with another candidate's number"),
    ("truth", "9", "truth: “9” is not one of the choices (1, 2, 3, 4, 5)"),
    ("proof_count", "some", "proof_count: 'some'"),
    ("revision", "0", "revision: '0'"),
    ("cannot_judge", "maybe", "cannot_judge: 'maybe' is neither 1, yes or true, nor 0, no or false"),
]


def test_mistakes_in_an_export_name_row_and_column(tmp_path: Path) -> None:
    definition = SCHEMES["duel"]
    rows = read_csv(exported(judged_study(definition, annotators=2), tmp_path, "csv"))
    best = next(row for row in rows if row["preferred"] == "1")
    group = [row for row in rows if row["item_id"] == best["item_id"]]

    def told(changes: Mapping[str, str]) -> list[str]:
        path = tmp_path / "changed.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, group[0])
            writer.writeheader()
            writer.writerows(row | changes if row is best else row for row in group)
        with pytest.raises(ImportFileError) as refused:
            read_files("table", path, definition=definition)
        return [str(reason) for reason in refused.value.reasons]

    for column, written, why in MISTAKES:
        found = told({"proof": "", column: written})
        assert any("changed.csv, line" in reason and why in reason for reason in found), (why, found)
    assert "preferred: 0 rows of this group say that their candidate is the best" in told({"preferred": "0"})[0]


def test_texts_that_somebody_adds_to_an_export_come_too_also_from_a_workbook(tmp_path: Path) -> None:
    first = judged_study(SCHEMES["ebr"], annotators=2)
    rows = read_csv(exported(first, tmp_path, "spreadsheet"), "utf-8-sig")
    book = Workbook(write_only=True)
    sheet = book.create_sheet()
    sheet.append([*rows[0], "article"])
    texts = {article.external_id: [each.text for each in article.sentences.all()] for article in articles_of(first)}
    for row in rows:
        sheet.append([*(value or None for value in row.values()), json.dumps(texts[row["article_id"]])])
    book.save(tmp_path / "out.xlsx")

    again, told = imported(tmp_path / "out.xlsx", SCHEMES["ebr"])
    assert records(again) == records(first)
    assert [[each.text for each in article.sentences.all()] for article in articles_of(again)] == [*texts.values()]
    assert "Exports hold no texts" not in told


def articles_of(study: Study) -> list[Article]:
    judged = Article.objects.filter(corpus=study.corpus, questions__isnull=False).distinct()
    return [*judged.order_by("external_id")]
