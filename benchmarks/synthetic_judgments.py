"""A finished study of any size in an empty database, written by SQL alone: for measuring what reads judgments."""
# ruff: noqa: E501  # statements are easier to read unbroken

from __future__ import annotations

from dataclasses import dataclass

from django.apps import apps
from django.core.management.color import no_style
from django.db import connection, transaction

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.models import User
from annotation_platform.core.schemes import preset
from annotation_platform.corpus.models import Corpus
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring.models import Method, Scorer, ScoringRun
from annotation_platform.studies.models import Role, Study
from annotation_platform.studies.services import add_member, create_study

SYSTEMS, QUESTIONS_PER_ARTICLE, ITEMS_PER_HIT, OVERLAP, HITS_PER_BATCH, ANNOTATORS = 5, 10, 5, 5, 100, 50
ARTICLES_PER_BATCH = HITS_PER_BATCH * ITEMS_PER_HIT // (SYSTEMS * QUESTIONS_PER_ARTICLE)
JUDGMENTS_PER_BATCH = HITS_PER_BATCH * ITEMS_PER_HIT * OVERLAP

# Words, commas, quotes, line ends, an emoji and Japanese: what an export has to carry, in texts cut from here.
TEXT = (
    'It leaves out that the bridge closed in May, and says "about forty" where the document has 42 (sentence 7).\n'
    "The main reason is there: the storm of 2019 damaged the roof; who pays for the repair is missing, though. "
    "回答は正しいが、二人の船長の退職に触れていない。 Otherwise it is fine 🙂, short and to the point, and nothing in it "
    "contradicts the document; the second half talks about tourists, which nobody mentions, and costs, which "
    "sentence 12 puts at 3,400 euros. A reader would want to know when the ferry sails again, and from which pier. "
)


@dataclass(frozen=True)
class Dialect:
    """Where the two databases write the same thing differently."""

    json: str
    time: str
    double: str


DIALECTS = {
    "postgresql": Dialect(
        "({})::jsonb", "timestamptz '2026-03-02 08:00:00+00' + ({}) * interval '1.25 second'", "float8"
    ),
    "sqlite": Dialect(
        "{}", "strftime('%Y-%m-%d %H:%M:%f', '2026-03-02 08:00:00', (({}) * 1.25) || ' seconds')", "real"
    ),
}


@transaction.atomic
def fill_study(*, judgments: int, name: str = "Synthetic judgments", for_pages: bool = False) -> Study:
    """Make a study with ``judgments`` (rounded up to whole batches) and one finished scoring run of them all.

    ``for_pages`` adds what an export does not read: sentences of documents, and labels and citations as rows.
    """
    batches = -(-judgments // JUDGMENTS_PER_BATCH)
    corpus = Corpus.objects.create(name=name)
    study = create_study(
        name=name, corpus=corpus, definition=preset("ebr"), overlap=OVERLAP, questions_per_hit=ITEMS_PER_HIT
    )
    for number in range(ANNOTATORS):  # names of their own: of thousands drawn by chance, two would be the same
        pseudonym = f"A-{number:04}"
        add_member(study=study, role=Role.ANNOTATOR, pseudonym=pseudonym, actor=Actor.operator("benchmark"))
    admin = User.objects.create_user("benchmark@example.org")
    add_member(study=study, role=Role.ADMIN, user=admin, pseudonym="admin", actor=Actor.operator("benchmark"))
    run = ScoringRun.objects.create(
        study=study, method=Method.EBR, scorer=Scorer.DISTILLED, status=JobStatus.DONE, signature="0" * 64
    )
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # The rows are right by construction; checking each of their foreign keys takes longer than writing them.
            cursor.execute("SET LOCAL session_replication_role = replica")
        for statement in _statements(study, run, batches) + (
            _page_statements(study, run, batches) if for_pages else []
        ):
            cursor.execute(statement)
        for statement in connection.ops.sequence_reset_sql(no_style(), apps.get_models()):
            cursor.execute(statement)  # rows came with their keys; the next ones get those that follow
    return study


def analyze() -> None:
    """Let the database look at its tables, as its own housekeeping does after a while."""
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE" if connection.vendor == "postgresql" else "ANALYZE")


def numbers(count: int) -> str:
    """The start of a statement that makes so many rows from ``i`` = 0, 1, … of ``n``."""
    return f"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < {count - 1}) SELECT"


def _statements(study: Study, run: ScoringRun, batches: int) -> list[str]:
    dialect = DIALECTS[connection.vendor]
    articles = batches * ARTICLES_PER_BATCH
    questions, hits = articles * QUESTIONS_PER_ARTICLE, batches * HITS_PER_BATCH
    items = hits * ITEMS_PER_HIT
    first_annotator = study.members.order_by("pk").values_list("pk", flat=True)[0]

    def text(seed: str, shortest: int, longest: int) -> str:
        literal = TEXT.replace("'", "''")
        return f"substr('{literal}', 1 + ({seed}) % 9973 * 7919 % 211, {shortest} + ({seed}) % 9973 * 104729 % {longest - shortest})"

    # Annotations of one HIT lie a batch's length apart, as they do when annotators take HITs in turn.
    batch, rest = f"(i / {JUDGMENTS_PER_BATCH})", f"(i % {JUDGMENTS_PER_BATCH})"
    place, in_batch = f"({rest} / {HITS_PER_BATCH * ITEMS_PER_HIT})", f"({rest} % {HITS_PER_BATCH * ITEMS_PER_HIT})"
    item = f"({batch} * {HITS_PER_BATCH * ITEMS_PER_HIT} + {in_batch})"
    hit = f"({item} / {ITEMS_PER_HIT})"
    reasons = text("i", 40, 300)
    escaped = f"""replace(replace({reasons}, '"', '\\"'), '\n', '\\n')"""
    sentences = (
        "CASE i % 9 WHEN 0 THEN '' WHEN 1 THEN '7' ELSE (1 + i % 5) || ', ' || (6 + i % 4) || ', ' || (12 + i % 7) END"
    )
    label = "CASE {} % 4 WHEN 0 THEN 'complete' WHEN 1 THEN 'missing_minor' WHEN 2 THEN 'missing_major' ELSE 'missing_all' END"
    values = (
        f"""'{{"correct": "' || CASE i % 5 WHEN 0 THEN 'no' ELSE 'yes' END || '", "completeness": "' || """
        f"""{label.format("(i * 31)")} || '", "sentences": [' || {sentences} || '], "reasons": "' || {escaped} || '"}}'"""
    )
    return [
        f"INSERT INTO corpus_system (id, corpus_id, name, family) {numbers(SYSTEMS)} i + 1, {study.corpus_id}, 'system-' || i, '' FROM n",
        f"INSERT INTO corpus_article (id, corpus_id, external_id, title, source, url, position, sentence_count)"
        f" {numbers(articles)} i + 1, {study.corpus_id}, 'article-' || i, {text('i', 30, 80)}, '', '', i, 30 FROM n",
        f"INSERT INTO corpus_question (id, article_id, external_id, position, choices, reference_answers, text, anchor)"
        f" {numbers(questions)} i + 1, i / {QUESTIONS_PER_ARTICLE} + 1, 'question-' || i, i % {QUESTIONS_PER_ARTICLE}, '[]', '[]',"
        f" {text('i', 40, 110)}, 1 + i % 20 FROM n",
        f"INSERT INTO corpus_answer (id, question_id, system_id, rationale, text)"
        f" {numbers(questions * SYSTEMS)} i + 1, i / {SYSTEMS} + 1, i % {SYSTEMS} + 1, '', {text('i', 60, 360)} FROM n",
        f"INSERT INTO studies_batch (id, study_id, number, state, closed_because, finishes_late, closed_at)"
        f" {numbers(batches)} i + 1, {study.pk}, i + 1, 'scored', 'all assignments submitted', false, {dialect.time.format('i')} FROM n",
        f"INSERT INTO studies_hit (id, batch_id, article_id, position, turn) {numbers(hits)} i + 1,"
        f" i / {HITS_PER_BATCH} + 1, i * {ITEMS_PER_HIT} / {SYSTEMS * QUESTIONS_PER_ARTICLE} + 1, i % {HITS_PER_BATCH} + 1, (i * 7919 % 10007) / 10007.0 FROM n",
        f"INSERT INTO studies_item (id, study_id, hit_id, question_id, position, mirror)"
        f" {numbers(items)} i + 1, {study.pk}, i / {ITEMS_PER_HIT} + 1, i / {SYSTEMS} + 1, i % {ITEMS_PER_HIT} + 1, '' FROM n",
        f"INSERT INTO studies_candidate (id, item_id, study_id, answer_id, number)"
        f" {numbers(items)} i + 1, i + 1, {study.pk}, i + 1, 1 FROM n",
        f"INSERT INTO studies_assignment (id, hit_id, place, annotator_id, replicate, state, submitted_at, extensions)"
        f" {numbers(hits * OVERLAP)} i + 1, i / {OVERLAP} + 1, i % {OVERLAP} + 1,"
        f" {first_annotator} + (i / {OVERLAP} * 3 + i % {OVERLAP}) % {ANNOTATORS}, 0, 'submitted', {dialect.time.format('i')}, 0 FROM n",
        f"INSERT INTO annotations_annotation (id, assignment_id, item_id, annotator_id, scheme_version_id, revision, is_current,"
        f' "values", under_earlier_rule, seconds, created_at) {numbers(batches * JUDGMENTS_PER_BATCH)} i + 1,'
        f" {hit} * {OVERLAP} + {place} + 1, {item} + 1, {first_annotator} + ({hit} * 3 + {place}) % {ANNOTATORS}, {study.scheme_version_id}, 1, true,"
        f" {dialect.json.format(values)}, '[]', 20 + (i * 37 % 4001) / CAST(16 AS {dialect.double}), {dialect.time.format('i')} FROM n",
        f"INSERT INTO scoring_score (run_id, annotation_id, aspect, value, explanation_score, source, failure)"
        f" {numbers(batches * JUDGMENTS_PER_BATCH)} {run.pk}, i + 1, 'completeness',"
        f" (i * 53 % 1601) / CAST(16 AS {dialect.double}), (i * 71 % 1601) / CAST(16 AS {dialect.double}), 'model', '' FROM n",
    ]


def _page_statements(study: Study, run: ScoringRun, batches: int) -> list[str]:
    """The rows beside the judgments' values, which say the same as they do."""
    judgments, articles = batches * JUDGMENTS_PER_BATCH, batches * ARTICLES_PER_BATCH
    labels = ("complete", "missing_minor", "missing_major", "missing_all")
    label = " ".join(f"WHEN {index} THEN '{key}'" for index, key in enumerate(labels))
    number = "CASE i * 31 % 4 WHEN 0 THEN 100 WHEN 1 THEN 70 WHEN 2 THEN 30 ELSE 0 END"
    rating = "INSERT INTO annotations_rating (annotation_id, aspect, candidate, choice, number)"
    cited = "INSERT INTO annotations_sentencereference (annotation_id, aspect, candidate, document, number)"
    return [
        f"INSERT INTO corpus_sentence (article_id, number, text) {numbers(articles * 30)}"
        " i / 30 + 1, i % 30 + 1, 'Sentence ' || (i % 30 + 1) || ' tells of the storm, the roof and the readers.' FROM n",
        f"{rating} {numbers(judgments)} i + 1, 'correct', 0, CASE i % 5 WHEN 0 THEN 'no' ELSE 'yes' END,"
        " CASE i % 5 WHEN 0 THEN 0 ELSE 1 END FROM n",
        f"{rating} {numbers(judgments)} i + 1, 'completeness', 0, CASE i * 31 % 4 {label} END, {number} FROM n",
        f"{cited} {numbers(judgments)} i + 1, 'sentences', 0, 0, 7 FROM n WHERE i % 9 = 1",
        *(
            f"{cited} {numbers(judgments)} i + 1, 'sentences', 0, 0, {sentence} FROM n WHERE i % 9 > 1"
            for sentence in ("1 + i % 5", "6 + i % 4", "12 + i % 7")
        ),
        f"INSERT INTO scoring_scoringrun_batches (scoringrun_id, batch_id)"
        f" SELECT {run.pk}, id FROM studies_batch WHERE study_id = {study.pk}",
    ]
