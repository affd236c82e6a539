"""The figures of a REV run: what was planted comes out, from the rows of a study to the page."""

from collections.abc import Callable
from dataclasses import replace
from html import unescape
from io import StringIO
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command
from django.db.models import Q
from django.test import Client
from django.urls import reverse

from annotation_platform.analysis.measuring.figures import CountedFigure
from annotation_platform.analysis.models import SnapshotSection
from annotation_platform.analysis.sections.rev import figures as rev
from annotation_platform.analysis.sections.rev.figures import RationaleFigures, RationaleKind
from annotation_platform.analysis.sections.rev.measure import NOT_JUDGED
from annotation_platform.analysis.sections.rev.section import people_scores
from annotation_platform.analysis.sections.rev.tables import cautions
from annotation_platform.analysis.snapshots.stored import FIGURES, sections_of
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.analysis.tables import registry as tables
from annotation_platform.annotations.models import Annotation
from annotation_platform.core.schemes import preset
from annotation_platform.core.statistics.resampling import ALL_ALIKE
from annotation_platform.corpus.models import Answer
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring.methods.rev.run import LAS, REV, RQ
from annotation_platform.scoring.models import ItemScore, Method, Scorer, ScoringRun
from annotation_platform.studies.models import Item, Member, Role, Study
from tests.factories import MemberFactory, make_corpus, study_with_judgments

pytestmark = pytest.mark.django_db


def page_of(client: Client, study: Study, name: str) -> str:
    """A page of the study's figures, as its researcher sees it."""
    client.force_login(MemberFactory(study=study, role=Role.RESEARCHER).user)
    take_snapshot(study=study, resamples=100)
    return client.get(reverse(name, args=[study.slug])).content.decode().replace("\u00a0", " ").replace("−", "-")


QUESTIONS = 12
MEANS = {"written": 1.5, "restated": 0.01, "shuffled": -0.8}
SAID = {
    "written": {"justifies": "yes", "additional_information": "enough"},
    "restated": {"justifies": "yes", "additional_information": "none"},
    "shuffled": {"justifies": "no"},
}
HELPED: dict[str, Callable[[int], tuple[bool, bool, bool]]] = {
    # with the rationale, without it, from the rationale alone
    "written": lambda number: (True, number % 2 == 0, number % 3 == 0),
    "restated": lambda number: (True, True, True),
    "shuffled": lambda number: (False, True, number == 1),
}


def planted() -> Study:
    """Twelve questions with a rationale of each kind, judged by three people; REV scatters evenly around its mean."""
    corpus = make_corpus(questions=QUESTIONS, systems=tuple(MEANS), sentences=0)
    Answer.objects.filter(question__article__corpus=corpus).update(rationale="Because.")
    study = study_with_judgments(
        corpus=corpus, definition=preset("rev"), values=lambda member, item: SAID[item.answer.system.name]
    )
    run = ScoringRun.objects.create(
        study=study,
        method=Method.REV,
        scorer=Scorer.EVALUATOR,
        status=JobStatus.DONE,
        parameters={"evaluator": "planted", "baseline": "declarative", "per": "token"},
    )
    spread = np.linspace(-0.3, 0.3, QUESTIONS)
    for item in study.items.select_related("question"):
        system, number = item.answer.system.name, item.question.position
        value = MEANS[system] + spread[number - 1]
        ItemScore.objects.create(run=run, item=item, aspect=REV, value=value)
        given, alone, leaks = HELPED[system](number)
        details = {"with_rationale": given, "without": alone, "leaks": leaks}
        for measure in (LAS, RQ):
            ItemScore.objects.create(run=run, item=item, aspect=measure, value=given - alone, details=details)
    return study


@pytest.fixture
def found() -> dict[str, Any]:
    section: dict[str, Any] = sections_of(take_snapshot(study=planted(), resamples=100), {"rev"})["rev"]
    return section


def test_each_kind_has_its_planted_mean_within_its_interval(found: dict[str, Any]) -> None:
    assert [each["kind"] for each in found["kinds"]] == list(MEANS)  # from the highest
    for each in found["kinds"]:
        assert each["rev"]["value"] == pytest.approx(MEANS[each["kind"]])
        low, high = each["rev"]["interval"]
        assert low < MEANS[each["kind"]] < high
        assert each["rationales"] == QUESTIONS
    assert found["overall"]["value"] == pytest.approx(np.mean(list(MEANS.values())))
    assert [each["above_zero"] for each in found["kinds"]] == [1, 0.5, 0]


def test_steps_between_kinds_are_paired_by_question(found: dict[str, Any]) -> None:
    first, second = found["steps"]
    assert (first["kinds"], first["value"]) == (["written", "restated"], pytest.approx(1.49))
    assert (second["kinds"], second["value"]) == (["restated", "shuffled"], pytest.approx(0.81))
    # Each question has the same scatter in every kind, so that paired differences do not vary at all.
    assert (first["interval"], first["no_interval_because"]) == (None, ALL_ALIKE)


def test_las_and_rq_are_those_by_hand(found: dict[str, Any]) -> None:
    written, restated, shuffled = found["kinds"]
    # Written: 4 leak (numbers 3, 6, 9, 12), of which 3 and 9 are helped: 1/2. The others: 1, 5, 7, 11 of 8: 1/2.
    assert written["las"]["value"] == pytest.approx(1 / 2)
    assert written["rq"]["value"] == pytest.approx(1 / 2)
    assert restated["las"]["undefined_because"] == "All rationales leak."
    assert (shuffled["las"]["value"], shuffled["rq"]["value"]) == (pytest.approx(-1), pytest.approx(-1))


def test_people_stand_beside_it(found: dict[str, Any]) -> None:
    assert [each["people"]["value"] for each in found["kinds"]] == [3, 0, -1]
    assert [each["justified"]["value"] for each in found["kinds"]] == [1, 1, 0]
    assert found["kinds"][0]["justified"]["interval"][0] < 0.8  # twelve of twelve are not all that there could be
    # The kinds do not overlap, and people say the same within each: ρ = √(96 / (1295 / 12)), the spread of the ranks
    # 6.5, 18.5 and 30.5 by that of 1 … 36.
    assert found["with_people"]["value"] == pytest.approx(0.9432, abs=1e-4)
    assert len(found["points"]) == 3 * QUESTIONS


def test_peoples_score_is_the_majority_and_then_the_mean() -> None:
    turns = {"A": ("yes", "enough"), "B": ("yes", "little"), "C": ("no", None)}

    def said(member: Member, item: Item) -> dict[str, Any]:
        justifies, amount = turns[member.pseudonym]
        return {"justifies": justifies} | ({"additional_information": amount} if amount else {})

    study = study_with_judgments(
        corpus=make_corpus(questions=1, systems=("written",), sentences=0), definition=preset("rev"), values=said
    )
    assert list(people_scores(study).values()) == [2.0]


@pytest.mark.parametrize(
    ("answer", "rationale", "says"),
    [
        ("no", "We know nothing of it.", False),
        ("No.", "So the answer is no.", True),
        ("A", "A harbour needs a wall.", True),
        ("A", "Harbours need walls.", False),
        ("the  old harbour", "They met at The old\nharbour, at dawn.", True),
        ("don't", "They don't.", True),
        ("橋", "古い橋です。", True),
        ("the roof.\n", "They hid under the roof of the mill.", True),
        ("東京。", "答えは東京です", True),
        ("", "Because.", False),
    ],
)
def test_a_rationale_says_the_answer_where_its_words_stand_side_by_side(
    answer: str, rationale: str, says: bool
) -> None:
    study = planted()
    Answer.objects.filter(question__article__corpus=study.corpus).update(text=answer, rationale=rationale)
    section = sections_of(take_snapshot(study=study, resamples=2), {"rev"})["rev"]
    assert {each["says_answer"] for each in section["kinds"]} == {float(says)}


def test_shares_from_before_words_were_compared_are_measured_again(monkeypatch: pytest.MonkeyPatch) -> None:
    study = planted()
    with monkeypatch.context() as earlier:
        earlier.setitem(FIGURES, "rev", replace(rev.REV, version=5))
        stored = SnapshotSection.objects.get(snapshot=take_snapshot(study=study, resamples=2), key="rev")
    for kind in stored.figures["kinds"]:
        kind["says_answer"] = 0.5
    stored.save()
    now = sections_of(take_snapshot(study=study, resamples=2), {"rev"})["rev"]
    assert {each["says_answer"] for each in now["kinds"]} == {0.0}


def test_las_rq_and_people_stand_with_how_many_rationales_they_rest_on(client: Client) -> None:
    study = planted()
    written = Q(item__candidates__answer__system__name="written")
    ItemScore.objects.filter(written, aspect=LAS, item__question__position__gt=9).delete()
    ItemScore.objects.filter(written, aspect=RQ, item__question__position__gt=2).delete()
    ask_for = tables.ask(take_snapshot(study=study, resamples=2), "justifies", ["rev"], {})
    written_row, *_ = tables.tables_of(ask_for, ["rev"])["rev"].cells
    known = [written_row[key] for key in ("kind", "rationales", "las_of", "rq_of", "people_of")]
    assert known == ["written", QUESTIONS, 9, 2, QUESTIONS]
    assert "Rationales behind LAS" in page_of(client, study, "agreement_rationales")


def test_what_people_did_not_judge_says_so_beside_the_rest(client: Client) -> None:
    study = planted()
    Annotation.objects.filter(item__candidates__answer__system__name="written").delete()
    page = unescape(page_of(client, study, "agreement_rationales"))
    assert page.count(f"Justify the answer: {NOT_JUDGED}") == 1
    Annotation.objects.all().delete()
    assert NOT_JUDGED not in unescape(page_of(client, study, "agreement_rationales"))


def test_without_people_the_machine_stands_alone() -> None:
    study = planted()
    study.batches.update(state="open")
    section = sections_of(take_snapshot(study=study, resamples=100), {"rev"})["rev"]
    assert section["kinds"][0]["rev"]["value"] == pytest.approx(1.5)
    assert section["kinds"][0]["people"]["value"] is None
    assert section["kinds"][0]["justified"]["value"] is None
    assert section["kinds"][0]["justified"]["undefined_because"] == NOT_JUDGED
    assert section["with_people"]["value"] is None


def test_without_a_run_the_section_says_why() -> None:
    study = planted()
    ScoringRun.objects.all().delete()
    section = sections_of(take_snapshot(study=study, resamples=100), {"rev"})["rev"]
    assert section == {"undefined_because": "No run of REV has finished yet."}


def test_the_page_shows_it_and_its_charts_compile(client: Client) -> None:
    study = planted()
    page = page_of(client, study, "agreement_rationales")
    assert "written +1.500" in page
    assert "restated +0.010 (its interval holds 0)" in page
    for name in ("rev", "rev-people"):
        address = reverse("chart", args=[study.slug, "justifies", name, "svg"])
        assert client.get(address).content.startswith(b"<svg")
    rows = client.get(reverse("chart", args=[study.slug, "justifies", "rev", "csv"])).content.decode().splitlines()
    assert rows[1].startswith("written,12,1.5")


def test_before_a_run_the_page_says_how_to_start_one(client: Client) -> None:
    study = planted()
    ScoringRun.objects.all().delete()
    page = page_of(client, study, "agreement_rationales")
    assert "No run of REV has finished yet." in page
    assert "pip install -r requirements-models.txt" in page


def figure(value: float | None, interval: Any = None) -> CountedFigure:
    return CountedFigure.model_construct(value=value, interval=interval)


def kind(name: str, rev: float, new_words: float, people: float | None) -> RationaleKind:
    return RationaleKind.model_construct(kind=name, rev=figure(rev), new_words=new_words, people=figure(people))


def section_with(kinds: list[RationaleKind], is_trained: bool | None, rho: CountedFigure) -> RationaleFigures:
    return RationaleFigures.model_construct(
        evaluator="gemma", is_trained=is_trained, kinds=tuple(kinds), with_people=rho
    )


NOT_TRAINED, MAYBE_NOT = "was not trained on rationales", "may not be trained on rationales"
REWARDS = "rewards saying the answer again"
NO_FOLLOWING = "Nothing shows that the scores follow people's judgments"
WRITTEN, RESTATED, SHUFFLED = ("written", 5.0, 2.5), ("restated", 0.2, 0.3), ("shuffled", 4.0, -1.0)
RHO = {"value": 0.4, "interval": [0.1, 0.6]}


@pytest.mark.parametrize(
    ("order", "is_trained", "rho", "says"),
    [
        ([(WRITTEN, 0.3), (RESTATED, 0.0), (SHUFFLED, -0.2)], True, RHO, []),
        ([(WRITTEN, 0.3), (RESTATED, 0.1), (SHUFFLED, -0.2)], True, RHO, []),  # above other words, as it should be
        ([(WRITTEN, 0.3), (RESTATED, 0.0)], False, RHO, [NOT_TRAINED]),
        ([(WRITTEN, 0.3), (RESTATED, 0.0)], None, RHO, [MAYBE_NOT]),
        ([(RESTATED, 0.24), (WRITTEN, -0.16)], False, RHO, [NOT_TRAINED, REWARDS]),
        ([(RESTATED, -0.1), (WRITTEN, -0.2)], True, RHO, []),  # it is worth nothing, as it should be
        ([(WRITTEN, 0.3)], True, {"value": 0.04, "interval": [-0.2, 0.3]}, [NO_FOLLOWING]),
        ([(WRITTEN, 0.3)], True, {"value": -0.5, "interval": [-0.7, -0.2]}, [NO_FOLLOWING]),
        ([(WRITTEN, 0.3)], True, {"value": None, "interval": None}, []),  # nobody was asked
        ([(WRITTEN, 0.3)], True, {"value": 0.9, "interval": None}, []),  # too few to tell
    ],
)
def test_what_must_be_known_before_the_figures_are_believed_is_said(
    order: list[Any], is_trained: bool | None, rho: dict[str, Any], says: list[str]
) -> None:
    kinds = [kind(name, rev, words, people) for (name, words, people), rev in order]
    found = cautions(section_with(kinds, is_trained, figure(**rho)))
    assert len(found) == len(says)
    assert all(words in caution for words, caution in zip(says, found, strict=True))


def test_where_nobody_was_asked_only_what_comes_first_of_all_is_told() -> None:
    for names in ((RESTATED, WRITTEN), (WRITTEN, RESTATED, SHUFFLED)):
        kinds = [kind(name, 0.5 - place / 10, words, None) for place, (name, words, _) in enumerate(names)]
        is_told = [REWARDS in caution for caution in cautions(section_with(kinds, True, figure(None)))]
        assert is_told == ([True] if names[0] == RESTATED else [])


def test_the_page_and_the_report_carry_the_cautions(client: Client) -> None:
    study = planted()
    Answer.objects.filter(system__name="restated").update(rationale="Yes.")
    page = page_of(client, study, "agreement_rationales")
    assert "“planted” may not be trained on rationales" in page
    out = StringIO()
    call_command("report_study", study.name, stdout=out, stderr=StringIO())
    assert "Caution: “planted” may not be trained on rationales" in out.getvalue()


def test_without_reference_answers_rq_says_so() -> None:
    study = planted()
    ItemScore.objects.filter(aspect=RQ).update(value=None, reason="No reference answer is among the answers.")
    section = sections_of(take_snapshot(study=study, resamples=100), {"rev"})["rev"]
    assert section["overall"]["rq"]["value"] is None
    assert "No question has a reference answer" in section["overall"]["rq"]["undefined_because"]
