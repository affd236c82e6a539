"""Whatever a scheme asks and whatever people answer: figures, tables, charts and pages say what there is to say."""

import io
import json
from random import Random
from tempfile import NamedTemporaryFile
from typing import Any

import pytest
from django.core.management import call_command
from django.db import transaction
from django.test import Client
from django.urls import reverse
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from annotation_platform.analysis.charts import chart_spec, to_svg
from annotation_platform.analysis.explorer import search as explorer
from annotation_platform.analysis.explorer.indexing import index_items
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.analysis.tables import registry as tables
from annotation_platform.core.schemes import InvalidJudgmentError, ItemShape
from annotation_platform.corpus.models import Question
from annotation_platform.scoring.models import ItemScore, Method
from annotation_platform.studies.models import Item, Member, Role, Study
from tests import rests_on
from tests.analysis.sound_figures import faults
from tests.analysis.study_rows import run_of, score
from tests.core.any_judgment import accepted
from tests.core.test_schemes_properties import Data, schemes
from tests.factories import MemberFactory, judgment, make_corpus, study_with_judgments

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.long(*rests_on.ANALYSIS),
]
PAGES = (
    "study",
    "items",
    "agreement",
    "agreement_annotators",
    "agreement_pairs",
    "agreement_systems",
    "agreement_ranking",
    "agreement_sentences",
    "agreement_spans",
    "agreement_raters",
    "agreement_planning",
    "agreement_variants",
    "agreement_human_llm",
    "agreement_judges",
    "agreement_paper",
    "exports",
)


def judge_some(study: Study, random: Random) -> None:
    """A run in which a model gave random labels, or none that could be read."""
    run, scheme = run_of(study, Method.JUDGE), study.scheme()
    ItemScore.objects.bulk_create(
        ItemScore(run=run, item=item, candidate=slot.candidate, aspect=slot.aspect.key, label=label)
        for item in study.items.all()
        for slot in scheme.slots(ItemShape(candidates=item.candidates.count()))
        if hasattr(slot.aspect, "scale")
        for label in [random.choice([*(choice.key for choice in slot.aspect.scale.choices), ""])]
    )


def assert_everything_is_told(study: Study, random: Random) -> None:
    if random.random() < 0.7:
        judge_some(study, random)
    index_items(study=study)
    snapshot = take_snapshot(study=study, resamples=5)
    json.dumps(snapshot.figures, allow_nan=False)
    assert faults(snapshot) == []
    client = Client()
    client.force_login(MemberFactory(study=study, role=Role.ADMIN).user)
    for aspect in snapshot.head.aspects:
        names = [name for name, table in tables.TABLES.items() if table.of_one != "annotator"]
        found = tables.tables_of(tables.ask(snapshot, aspect.aspect, names), names)
        drawn = [(table, name) for table in found.values() if table is not None for name in table.charts]
        specs = [chart_spec(table, name) for table, name in drawn]
        json.dumps(specs, allow_nan=False)
        for spec in random.sample(specs, k=min(2, len(specs))):
            assert "NaN" not in to_svg(spec)
        for table in found.values():
            if table is not None:
                assert "None" not in table.reading
                assert "nan" not in table.reading.lower().replace("finan", "")
                assert table.all_lines is not None
    for name in PAGES:
        address = reverse(name, args=[study.slug])
        for aspect in [None, *random.sample(snapshot.head.aspects, k=min(1, len(snapshot.head.aspects)))]:
            response = client.get(address, {"aspect": aspect.aspect} if aspect else {})
            assert response.status_code == 200, (name, aspect)
    assert client.get(reverse("item", args=[study.slug, study.items.first().pk])).status_code == 200
    assert client.get(
        reverse("agreement_annotator", args=[study.slug, study.members.get(pseudonym="A").pk])
    ).status_code in (200, 404)
    for sort in explorer.SORTS:
        assert client.get(reverse("items", args=[study.slug]), {"sort": sort, "q": "a"}).status_code == 200
    for kind in ("csv", "jsonl", "parquet"):
        with NamedTemporaryFile(suffix=f".{kind}") as file:
            call_command("export_study", study.name, f"--format={kind}", f"--output={file.name}", stdout=io.StringIO())
    out = io.StringIO()
    call_command("report_study", study.name, "--json", stdout=out)
    json.loads(out.getvalue())
    call_command("report_study", study.name, stdout=io.StringIO())


@settings(max_examples=6, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
@given(definition=schemes(), random=st.randoms(use_true_random=False), annotators=st.integers(1, 3))
def test_any_scheme(definition: Data, random: Random, annotators: int) -> None:
    with transaction.atomic():
        corpus = make_corpus(questions=2, sentences=3)
        Question.objects.filter(article__corpus=corpus).update(choices=["red", "green", "blue"])
        found: list[Any] = []

        def opinion(member: Member, item: Item) -> Data:
            shape = ItemShape(sentences=3, documents=(), choices=3, candidates=item.candidates.count())
            values = accepted(item.study.scheme(), {}, shape, random)
            found.append(values)
            return values or {}

        try:
            study = study_with_judgments(annotators=annotators, corpus=corpus, definition=definition, values=opinion)
        except InvalidJudgmentError:
            assert None in found
        else:
            assert_everything_is_told(study, random)
        transaction.set_rollback(True)


@settings(max_examples=6, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
@given(
    random=st.randoms(use_true_random=False),
    annotators=st.integers(1, 4),
    labels=st.lists(
        st.sampled_from(["complete", "missing_minor", "missing_major", "missing_all"]), min_size=1, max_size=4
    ),
    scores=st.lists(st.sampled_from([0.0, 37.5, 100.0]), min_size=1, max_size=4),
    is_scored=st.booleans(),
)
def test_any_labels_and_scores(
    random: Random, annotators: int, labels: list[str], scores: list[float], is_scored: bool
) -> None:
    with transaction.atomic():
        corpus = make_corpus(questions=random.randint(1, 3), systems=["alder", "birch"][: random.randint(1, 2)])
        study = study_with_judgments(
            annotators=annotators,
            corpus=corpus,
            values=lambda member, item: judgment(
                completeness=random.choice(labels), sentences=[1][: random.randint(0, 1)]
            ),
        )
        if is_scored:
            score(study, lambda annotation: random.choice(scores))
        assert_everything_is_told(study, random)
        transaction.set_rollback(True)
