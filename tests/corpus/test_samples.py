"""The sample studies: each is stored whole, was judged by people who differ, and leaves something to annotate."""

from itertools import combinations
from pathlib import Path

import pytest

from annotation_platform.annotations.models import Annotation, Rating
from annotation_platform.corpus import importers
from annotation_platform.corpus.importers import FORMATS, open_files, read_study
from annotation_platform.imports.storing import ImportSummary, import_study
from annotation_platform.studies.models import BatchState
from annotation_platform.studies.services import claim_assignment
from tests.factories import OPERATOR, MemberFactory

SAMPLES = sorted((Path(importers.__file__).parents[1] / "sample").glob("*.yaml"))
FEWEST_ANSWERS = 12
FEWEST_RATERS = {"lfqa": 3, "rev": 3}  # of the others 5

pytestmark = [pytest.mark.django_db, pytest.mark.pages]


@pytest.fixture(params=SAMPLES, ids=lambda path: path.stem)
def stored(request: pytest.FixtureRequest) -> ImportSummary:
    format = FORMATS["native"]
    with read_study(format, open_files(format, [request.param])) as imported:
        return import_study(imported=imported, name=request.param.stem, actor=OPERATOR)


def test_it_is_a_study_of_the_preset_that_it_is_named_after(stored: ImportSummary) -> None:
    assert stored.study.scheme().key == stored.study.name


def test_it_has_answers_and_raters_enough(stored: ImportSummary) -> None:
    assert stored.answers >= FEWEST_ANSWERS
    assert stored.annotators >= FEWEST_RATERS.get(stored.study.name, 5)
    assert stored.judgments == Annotation.objects.count()


def test_there_are_finished_batches_to_look_at_and_places_to_take(stored: ImportSummary) -> None:
    assert stored.batches[BatchState.CLOSED]
    assert stored.batches[BatchState.OPEN]
    assert not stored.batches[BatchState.DRAFT]
    assert claim_assignment(annotator=MemberFactory(study=stored.study), actor=OPERATOR).hit.items.exists()


def test_no_two_raters_say_the_same_everywhere_and_most_labels_agree(stored: ImportSummary) -> None:
    said: dict[int, dict[tuple[int, str, int], str]] = {}
    rows = Rating.objects.values_list("annotation__annotator", "annotation__item", "aspect", "candidate", "choice")
    for rater, item, aspect, candidate, choice in rows:
        said.setdefault(rater, {})[item, aspect, candidate] = choice
    shares = [
        sum(one[slot] == other[slot] for slot in both) / len(both)
        for one, other in combinations(said.values(), 2)
        if (both := one.keys() & other.keys())
    ]
    assert max(shares) < 1
    assert sum(shares) / len(shares) > 0.5
