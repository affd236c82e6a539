"""The ranks that pairs leave each system: stored with the differences, printed as JSON, and read by the page."""

import json
from html import unescape
from io import StringIO
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command
from django.urls import reverse

from annotation_platform.analysis.sections.systems.figures import DifferenceOfSystems
from annotation_platform.analysis.sections.systems.possible_ranks import Better, ranks_left_by
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.studies.models import Item, Member
from tests.analysis.study_rows import client_of
from tests.factories import LABELS, judgment, make_corpus, study_with_judgments

SYSTEMS = ("alder", "birch", "cedar")


def found(first: str, second: str, value: float, p: float | None = 0.01) -> DifferenceOfSystems:
    """A difference whose interval leaves out zero."""
    return DifferenceOfSystems(
        systems=(first, second),
        value=value,
        interval=(value - 0.1, value + 0.1),
        undefined_because=None,
        no_interval_because=None,
        p_value=p,
        p_holm=p,
        no_p_value_because=None,
        is_paired=True,
        answered=(9, 9),
        items=9,
        units=9,
        judgments=18,
    )


@pytest.mark.parametrize(
    ("better", "ranks"),
    [
        ("high", [("a", 2, 3), ("b", 1, 1), ("c", 2, 3)]),
        ("low", [("a", 1, 2), ("b", 3, 3), ("c", 1, 2)]),
        (None, []),
    ],
)
def test_a_pair_that_differs_leaves_the_worse_one_no_better_rank(
    better: Better, ranks: list[tuple[str, int, int]]
) -> None:
    pairs = [found("a", "b", 1.0), found("a", "c", 0.5, p=0.2), found("b", "c", -0.5)]
    assert [(each.system, each.best, each.worst) for each in ranks_left_by(pairs, better)] == ranks


def test_where_a_pair_was_not_tested_no_rank_is_said() -> None:
    assert ranks_left_by([found("a", "b", 1.0), found("a", "c", 0.5, p=None), found("b", "c", -0.5)], "high") == ()
    assert ranks_left_by([], "high") == ()


@pytest.mark.django_db
def test_report_and_page_have_the_same_ranks() -> None:
    def values(member: Member, item: Item) -> dict[str, Any]:
        system, question = item.answer.system.name, item.question
        seed = [question.article.position, question.position, ord(system[0]), ord(member.pseudonym)]
        level = np.random.default_rng(seed).integers(2)
        return judgment(completeness=LABELS[level + 2 if system == "cedar" else level])

    corpus = make_corpus(articles=6, questions=2, systems=SYSTEMS)
    study = study_with_judgments(corpus=corpus, values=values)
    take_snapshot(study=study, resamples=20)
    out = StringIO()
    asked = ("--json", "--aspect", "completeness", "--section", "system_differences")
    call_command("report_study", study.name, *asked, stdout=out, stderr=StringIO())
    (aspect,) = json.loads(out.getvalue())["aspects"]
    told = aspect["system_differences"]["raw_ranks"]
    assert [(each["system"], each["best"], each["worst"]) for each in told][2] == ("cedar", 3, 3)
    assert {each["worst"] for each in told[:2]} == {2}
    page = unescape(client_of(study).get(reverse("agreement_ranking", args=[study.slug])).content.decode())
    assert "each of alder and birch may be the best" in page
