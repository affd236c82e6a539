"""``manage.py import_study``: the whole study or nothing."""

import json
import shutil
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.models import Count

from annotation_platform.annotations.models import Annotation, Rating, SentenceReference
from annotation_platform.corpus.models import Answer, Corpus, Sentence
from annotation_platform.scoring.models import RecordedReply
from annotation_platform.studies.models import (
    Assignment,
    AssignmentState,
    BatchState,
    Item,
    Member,
    Role,
    SchemeVersion,
    Study,
)
from annotation_platform.studies.services import claim_assignment
from tests.corpus.test_importers import release
from tests.factories import OPERATOR, MemberFactory, UserFactory
from tests.some import some

pytestmark = pytest.mark.django_db
Write = Callable[[str, Any], Path]


def corpus(articles: int = 1, systems: str = "ab") -> dict[str, Any]:
    return {
        "name": "Two towns",
        "articles": [
            {
                "id": f"a{n}",
                "sentences": ["One.", "Two.", "Three."],
                "questions": [
                    {"id": f"q{m}", "text": "Why?", "anchor": m, "answers": dict.fromkeys(systems, "So.")}
                    for m in (1, 2)
                ],
            }
            for n in range(articles)
        ],
    }


def judgments(*rows: str) -> list[dict[str, Any]]:
    """Rows such as ``Wren a0 q1 a``."""
    values = {"correct": "yes", "completeness": "missing_minor", "sentences": [1, 3], "reasons": "One is left out."}
    return [
        dict(zip(("annotator", "article", "question", "system"), row.split(), strict=True)) | {"values": values}
        for row in rows
    ]


def study(*rows: str, **settings: Any) -> dict[str, Any]:
    """With two systems and two questions an article has two HITs: (q1 a, q2 b) and (q1 b, q2 a)."""
    return {
        "format": "annotation-platform/1",
        "corpus": corpus(settings.pop("articles", 1)),
        "study": {"overlap": 2} | settings,
        "judgments": judgments(*rows),
    }


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(name: str, data: Any) -> Path:
        path = tmp_path / name
        path.write_text(data if isinstance(data, str) else json.dumps(data))
        return path

    return write


def run(format: str, *files: Path, name: str = "Towns", **options: Any) -> str:
    out = StringIO()
    call_command("import_study", format, *files, name=name, stdout=out, stderr=StringIO(), **options)
    return out.getvalue()


def refusal(format: str, *files: Path, **options: Any) -> str:
    with pytest.raises(CommandError) as caught:
        run(format, *files, **options)
    return str(caught.value)


def assert_nothing_stored() -> None:
    for model in (Corpus, Study, SchemeVersion, Member, Item, Assignment, Annotation, RecordedReply):
        assert not model.objects.exists(), model


def test_a_judged_hit_is_submitted_and_the_rest_is_there_to_take(write: Write) -> None:
    rows = ("Wren a0 q1 a", "Wren a0 q2 b", "Teal a0 q1 b", "Teal a0 q2 a", "Teal a0 q1 a", "Teal a0 q2 b")
    said = run("native", write("towns.json", study(*rows)))
    assert "2 articles" not in said
    assert "1 article, 4 answers, 6 judgments by 2 annotators" in said
    assert "1 open" in said
    stored = Study.objects.get(name="Towns")
    assert (stored.corpus.name, stored.overlap) == ("Two towns", 2)
    assert Sentence.objects.count() == 3
    states = stored.batches.get().hits.values_list("assignments__state", flat=True)
    assert sorted(states) == [AssignmentState.OPEN] + [AssignmentState.SUBMITTED] * 3
    newcomer = MemberFactory(study=stored)
    assert claim_assignment(annotator=newcomer, actor=OPERATOR).state == AssignmentState.CLAIMED


def test_judgments_have_their_ratings_and_cited_sentences(write: Write) -> None:
    run("native", write("towns.json", study("Wren a0 q1 a", "Wren a0 q2 b")))
    annotation = Annotation.objects.get(item__question__external_id="q1")
    assert (annotation.revision, annotation.is_current, annotation.annotator.pseudonym) == (1, True, "Wren")
    assert annotation.annotator.user is None
    assert annotation.assignment.annotator == annotation.annotator
    ratings = Rating.objects.filter(annotation=annotation).values_list("aspect", "choice", "number")
    assert sorted(ratings) == [("completeness", "missing_minor", 70.0), ("correct", "yes", 1.0)]
    cited = SentenceReference.objects.filter(annotation=annotation).values_list("aspect", "number")
    assert sorted(cited) == [("sentences", 1), ("sentences", 3)]


def test_a_batch_all_of_whose_places_are_judged_is_closed(write: Write) -> None:
    rows = [f"{who} a0 {what}" for who in ("Wren", "Teal") for what in ("q1 a", "q2 b", "q1 b", "q2 a")]
    run("native", write("towns.json", study(*rows, articles=2, hits_per_batch=2)))
    first, second = Study.objects.get().batches.all()
    assert (first.state, second.state) == (BatchState.CLOSED, BatchState.OPEN)
    assert Annotation.objects.closed().count() == 8


def test_batches_nobody_has_begun_can_be_kept_as_drafts(write: Write) -> None:
    data = study("Wren a0 q1 a", "Wren a0 q2 b", articles=2, hits_per_batch=2)
    run("native", write("towns.json", data), keep_drafts=True)
    assert list(Study.objects.get().batches.values_list("state", flat=True)) == [BatchState.OPEN, BatchState.DRAFT]


def test_a_hit_judged_in_part_is_refused_with_what_is_missing(write: Write) -> None:
    path = write("towns.json", study("Wren a0 q1 a", "Wren a0 q2 b", "Teal a0 q1 b"))
    said = refusal("native", path)
    assert f"{path}, line 1: judgments[2]: 'Teal' judged 1 of the 2 answers of a HIT; missing: q2 by a." in said
    assert_nothing_stored()


def test_more_judgments_than_the_overlap_are_refused(write: Write) -> None:
    rows = [f"{who} a0 {what}" for who in ("Wren", "Teal", "Rook") for what in ("q1 a", "q2 b")]
    said = refusal("native", write("towns.json", study(*rows)))
    assert "judgments[4]: 3 annotators judged this HIT; the study's overlap is 2" in said
    assert_nothing_stored()


def test_the_owner_becomes_admin(write: Write) -> None:
    owner = UserFactory(email="owner@example.org")
    run("native", write("towns.json", study()), owner="Owner@example.org")
    stored = Study.objects.administered_by(owner).get()
    assert stored.members.get().role == Role.ADMIN


def test_a_study_that_nobody_can_see_is_told_with_what_to_do(write: Write) -> None:
    UserFactory(email="owner@example.org")
    without = run("native", write("towns.json", study()), name="Two Towns")
    assert "manage.py add_member 'Two Towns' EMAIL --role admin" in without
    dry = run("native", write("towns.json", study()), name="More", dry_run=True)
    owned = run("native", write("towns.json", study()), name="Towns", owner="owner@example.org")
    assert "add_member" not in dry + owned


def test_an_unknown_owner_is_refused_before_anything_else(write: Write) -> None:
    assert "no account nobody@example.org" in refusal("native", write("t.json", study()), owner="nobody@example.org")
    assert_nothing_stored()


def test_a_dry_run_says_what_it_would_do_and_stores_nothing(write: Write) -> None:
    said = run("native", write("towns.json", study("Wren a0 q1 a", "Wren a0 q2 b")), dry_run=True)
    assert "Would import “Towns”" in said
    assert "2 judgments" in said
    assert_nothing_stored()


def test_a_taken_name_is_refused(write: Write) -> None:
    path = write("towns.json", study())
    run("native", path)
    assert "There is a study named “Towns” already" in refusal("native", path)
    assert Corpus.objects.count() == 1


def test_the_same_corpus_can_be_imported_for_another_study(write: Write) -> None:
    path = write("towns.json", study())
    run("native", path)
    run("native", path, name="Towns again")
    assert sorted(Corpus.objects.values_list("name", flat=True)) == ["Towns again", "Two towns"]


def test_a_scheme_file_replaces_the_one_that_the_study_names(write: Write) -> None:
    scheme = {
        "key": "taste",
        "title": "Taste",
        "shown": ["answer"],
        "aspects": [{"key": "why", "kind": "text", "title": "Why?"}],
    }
    data = study()
    data["judgments"] = [
        {"annotator": "Wren", "article": "a0", "question": q, "system": s, "values": {"why": "So."}}
        for q, s in (("q1", "a"), ("q2", "b"))
    ]
    run("native", write("towns.json", data), scheme=str(write("taste.yaml", yaml.safe_dump(scheme))))
    assert Study.objects.get().scheme().key == "taste"
    assert Annotation.objects.first().values == {"why": "So."}


@pytest.mark.parametrize(
    ("scheme", "reason"),
    [("erb", "erb: no preset has this name"), ("none.yaml", "there is no such file"), ("broken.yaml", "line 1: ")],
)
def test_a_scheme_that_cannot_be_used_is_refused(write: Write, tmp_path: Path, scheme: str, reason: str) -> None:
    write("broken.yaml", "key: [")
    name = scheme if scheme == "erb" else str(tmp_path / scheme)
    assert reason in refusal("native", write("towns.json", study()), scheme=name)
    assert_nothing_stored()


def test_the_same_mistake_in_many_rows_is_told_once_with_the_rows(write: Write) -> None:
    rows = "".join(f"Q{n}?,a,b,alder,Wren,{'maybe' if n % 2 else f'perhaps {n}'}\n" for n in range(50))
    quiz = write("quiz.csv", "question,reference,response,model,annotator,equivalent\n" + rows)
    said = refusal("table", quiz, scheme="equivalence")
    assert "Nothing was imported: 50 mistakes." in said
    assert said.count("“maybe”") == 1
    assert "(25 lines: 3, 5, 7, " in said
    assert "… and 6 more." in said, "19 others are shown"


def test_a_mistake_anywhere_leaves_nothing_and_is_told(write: Write) -> None:
    data = study(*["Wren a0 q1 a"] * 30)
    data["corpus"]["articles"][0]["questions"][0]["anchor"] = 9
    said = refusal("native", write("towns.json", data))
    assert "Nothing was imported: 30 mistakes." in said
    assert "corpus.articles[0].questions[0].anchor: there is no sentence 9; the article has 3" in said
    assert "… and 10 more." in said
    assert_nothing_stored()


def test_a_failure_while_storing_leaves_nothing(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: Any, **kwargs: Any) -> None:
        raise OSError("disk full")

    path = write("inq.json", release())
    with monkeypatch.context() as patch:
        patch.setattr(RecordedReply.objects, "bulk_create", fail)
        with pytest.raises(OSError, match="disk full"):
            run("ebr", path)
    assert_nothing_stored()


def test_the_release_becomes_closed_batches_of_hits_with_one_answer(write: Write) -> None:
    files = [write("inq.json", release()), write("ext.json", release("inq-ext"))]
    assert "8 recorded replies" in run("ebr", *files)
    stored = Study.objects.get()
    assert set(stored.batches.values_list("state", flat=True)) == {BatchState.CLOSED}
    assert list(stored.batches.annotate(n=Count("hits")).values_list("n", flat=True)) == [3, 3]
    assert {hit.items.count() for batch in stored.batches.all() for hit in batch.hits.all()} == {1}
    replicates = Assignment.objects.filter(annotator__pseudonym="5").values_list("replicate", flat=True)
    assert sorted(replicates) == [0, 0, 1, 1]
    assert not Assignment.objects.exclude(state=AssignmentState.SUBMITTED).exists()
    assert all(reply.annotation.values["reasons"] == "It says all." for reply in some(RecordedReply.objects.all()))


def test_progress_is_told_on_the_error_stream(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("import_study", "ebr", write("inq.json", release()), name="Towns")
    said = capsys.readouterr()
    assert "judgments: 4 of 4" in said.err
    assert "judgments/s" in said.out


def test_postgresql_knows_how_much_there_is_right_after_an_import(
    write: Write, django_capture_on_commit_callbacks: Any
) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("only PostgreSQL plans by counted rows; run with DATABASE_URL=postgres://… to see this")
    with django_capture_on_commit_callbacks(execute=True):
        run("ebr", write("inq.json", release()))
    with connection.cursor() as cursor:
        cursor.execute("SELECT reltuples FROM pg_class WHERE relname = %s", [Annotation._meta.db_table])
        assert cursor.fetchone() == (4,)


# --- Tables -----------------------------------------------------------------------------------------------

TABLE = """\
query,gold,said,by,rater,equivalent
Who?,Ada,Ada M.,alder,Wren,Yes
Who?,Ada,Bo,birch,Wren,No
When?,1900,in 1900,alder,,
"""


def test_judged_items_of_a_table_are_closed_hits_and_the_others_are_to_take(write: Write) -> None:
    said = run("table", write("quiz.csv", TABLE), scheme="equivalence", map=["said=answer", "by=system"])
    assert "3 answers, 2 judgments by 1 annotator" in said
    assert "1 open, 1 closed" in said
    stored = Study.objects.get()
    assert (stored.overlap, stored.scheme().key) == (1, "equivalence")
    closed, left = stored.batches.order_by("state")
    assert [hit.items.count() for hit in closed.hits.all()] == [1, 1]
    assert left.hits.get().items.get().question.text == "When?"


def test_a_preview_shows_columns_values_and_what_is_missing_and_stores_nothing(write: Write) -> None:
    out = StringIO()
    path = write("quiz.csv", TABLE)
    call_command("import_study", "table", path, scheme="equivalence", preview=True, map=["by="], stdout=out)
    said = out.getvalue()
    assert "query  → question" in said
    assert "by  (left out)" in said
    assert "    Ada M." in said
    assert "To mend: no column is taken for 'answer'" in said
    assert "reference_answers*" in said
    assert_nothing_stored()


def test_a_preview_needs_no_scheme(write: Write) -> None:
    said = run("table", write("quiz.csv", TABLE), preview=True)
    assert "query\n" in said
    assert "    Ada M." in said
    assert "To mend: No scheme is chosen" in said


def test_what_is_left_out_is_told(write: Write) -> None:
    row = {"question": "who", "golden_answer": "Ada", "answer_x": "Ada", "judge_x": True, "improper": False}
    said = run("evouna", write("nq.json", [row, row | {"improper": True}]))
    assert "Left out: 1 questions marked improper." in said


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"map": ["said"]}, "--map said: write it as COLUMN=FIELD."),
        ({"map": ["said=answer", "nowhere=system"]}, "there is no column 'nowhere'; there are: query, gold"),
        ({"map": ["said=reply"]}, "there is no field 'reply' for 'said'; there are: question"),
        ({"map": ["said=answer", "by=answer"]}, "'answer' is taken from several columns (said, by)"),
        ({"scheme": None}, "No scheme is chosen"),
        ({"name": None}, "Give the new study a name"),
    ],
)
def test_a_wrong_choice_is_refused_before_anything_is_stored(
    write: Write, options: dict[str, Any], reason: str
) -> None:
    assert reason in refusal("table", write("quiz.csv", TABLE), **{"scheme": "equivalence", **options})
    assert_nothing_stored()


def test_a_folder_stands_for_the_files_of_its_format(tmp_path: Path) -> None:
    written = Path(__file__).parent / "written" / "lm_eval"
    out = StringIO()
    call_command("import_study", "lm_eval", written, name="Water", scheme="equivalence", stdout=out, stderr=StringIO())
    assert "4 answers, 0 judgments" in out.getvalue()
    assert set(Answer.objects.filter(text="on the roof").values_list("metrics", flat=True)[0]["lm_eval"]) == {"acc"}
    with pytest.raises(CommandError, match=r"has no file that ends in \.json or \.jsonl"):
        call_command("import_study", "lm_eval", tmp_path, name="Nothing", scheme="equivalence", stderr=StringIO())


def test_of_a_folder_that_datasets_saved_what_it_keeps_of_earlier_work_is_left(tmp_path: Path) -> None:
    saved = shutil.copytree(Path(__file__).parent / "written" / "saved", tmp_path / "saved")
    (saved / "train" / "cache-0123456789abcdef.arrow").write_bytes(b"\xff\xff\xff\xffof other columns")
    out = StringIO()
    call_command("import_study", "table", saved, name="Water", scheme="equivalence", stdout=out, stderr=StringIO())
    assert "answers, 0 judgments" in out.getvalue()
    (saved / "train" / "state.json").write_text("{")  # then all of it counts
    with pytest.raises(CommandError, match="cache-0123456789abcdef"):
        call_command("import_study", "table", saved, name="Again", scheme="equivalence", stderr=StringIO())
