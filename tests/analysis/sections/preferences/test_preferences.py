"""A study that asks which answer is best has a result: wins, ties and losses of each two systems."""

import csv
import re
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation_platform.analysis.paper.archive import entries
from annotation_platform.analysis.paper.choices import WITH_OTHERS
from annotation_platform.analysis.sections.systems.drawn_tables import only_of_judged_ones
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.analysis.tables import registry as tables
from annotation_platform.annotations.forms.options import options_of
from annotation_platform.annotations.models import Annotation
from annotation_platform.core.items import Answer, ItemTexts
from annotation_platform.core.schemes import InvalidJudgmentError, ItemShape, build_scheme, check_judgment
from annotation_platform.core.schemes.judgment_contents import renumber_candidates
from annotation_platform.core.statistics.davidson import ONLY_TIES
from annotation_platform.jobs.contract import run_job
from annotation_platform.releases.services import EXPORTS, request_export
from annotation_platform.studies.models import Hit, Item, Role, Study
from annotation_platform.studies.services import Uncertainty, draw_batch, open_batch
from tests.factories import (
    OPERATOR,
    MemberFactory,
    close_all,
    judge_everything,
    make_corpus,
    make_study,
    plan_batches,
    study_with_judgments,
)
from tests.some import some

pytestmark = pytest.mark.django_db
OF_MODEL = ("strengths", "preference-effects")

TIES = {"kind": "best_of", "key": "better", "title": "Which answer is better?", "tie_label": "Equally good"}
PAIRWISE: dict[str, Any] = {
    "key": "pairwise",
    "title": "Which is better?",
    "shown": ["question", "candidates"],
    "aspects": [{"key": "better", "kind": "best_of", "title": "Which answer is better?"}],
}


def prefers(*systems: str) -> Any:
    """Each annotator prefers one system always, in the order of the annotators."""

    def choose(member: Any, item: Item) -> dict[str, Any]:
        wanted = systems[(ord(member.pseudonym[0]) - ord("A")) % len(systems)]
        number = next(c.number for c in item.candidates.all() if c.answer.system.name == wanted)
        return {"better": str(number)}

    return choose


def make(values: Any, *, articles: int = 3, questions: int = 4, annotators: int = 3, systems: Any = ("alder", "birch")):
    corpus = make_corpus(articles=articles, sentences=0, questions=questions, systems=systems)
    return study_with_judgments(corpus=corpus, definition=PAIRWISE, values=values, annotators=annotators)


def result(study: Study) -> dict[str, Any]:
    figures: dict[str, Any] = take_snapshot(study=study, resamples=10).figures["preferences"]
    return figures["better"]


def test_who_says_that_answers_are_equally_good_prefers_none_of_them() -> None:
    def choose(member: Any, item: Item) -> dict[str, Any]:
        is_sure = item.question.position == 1 or (member.pseudonym == "A" and item.question.position == 2)
        return prefers("alder")(member, item) if is_sure else {"better": "tie"}

    corpus = make_corpus(articles=1, sentences=0, questions=4, systems=("alder", "birch"))
    study = study_with_judgments(corpus=corpus, definition=PAIRWISE | {"aspects": [TIES]}, values=choose, annotators=3)
    assert take_snapshot(study=study, resamples=10).figures["human_llm"]["unanimity"] == {
        "better": {"3": 1, "1": 1, "0": 2}
    }


def test_wins_and_losses_are_counted_by_judgment_and_by_question() -> None:
    found = result(make(prefers("alder", "alder", "birch")))
    (pair,) = found["pairs"]
    assert pair["systems"] == ["alder", "birch"]
    assert (pair["wins"], pair["ties"], pair["losses"]) == (24, 0, 12)
    assert (pair["questions_won"], pair["questions_tied"], pair["questions_lost"]) == (12, 0, 0)
    assert pair["value"] == pytest.approx(2 / 3)
    assert (pair["units"], pair["questions"], pair["judgments"], pair["annotators"]) == (3, 12, 36, 3)
    assert found["group_is"] == "article"


def test_annotators_who_part_evenly_make_a_tie_of_the_question() -> None:
    (pair,) = result(make(prefers("alder", "birch"), annotators=2))["pairs"]
    assert (pair["questions_won"], pair["questions_tied"], pair["questions_lost"]) == (0, 12, 0)


def test_without_articles_questions_are_what_varies() -> None:
    found = result(make(prefers("alder"), articles=1))
    assert found["group_is"] == "question"
    assert found["pairs"][0]["units"] == 4


def test_of_several_candidates_the_best_beats_each_other_one() -> None:
    found = result(make(prefers("cedar"), systems=("alder", "birch", "cedar")))
    assert [pair["systems"] for pair in found["pairs"]] == [["cedar", "alder"], ["cedar", "birch"]]


def test_the_order_on_the_page_is_read_for_every_annotator() -> None:
    def first_shown(member: Any, item: Item) -> dict[str, Any]:
        from annotation_platform.studies.selectors import presentation_order

        return {"better": str(presentation_order(item_id=item.pk, member_id=member.pk, count=2)[0])}

    study = make(first_shown, articles=1, questions=12)
    found = result(study)
    assert found["first_shown"]["value"] == 1.0
    assert found["first_shown"]["interval"][0] > 0.5
    (pair,) = found["pairs"]
    shown = Annotation.objects.closed().filter(item__study=study).count()
    assert pair["shown_first"] + pair["shown_second"] == shown
    assert pair["wins"] == pair["shown_first"], "whoever is shown first always wins here"
    assert "The order mattered" in table_of(study).reading


def table_of(study: Study) -> tables.FigureTable:
    asked = tables.ask(take_snapshot(study=study, resamples=10), "better", ["wins"])
    return tables.tables_of(asked, ["wins"])["wins"]


def test_what_is_certain_is_said_and_what_is_not_is_not() -> None:
    sure = table_of(make(prefers("alder"), articles=8, questions=2))
    assert sure.reading.startswith("alder is preferred to birch in 100.0\u00a0% of judgments")
    assert sure.cells[0]["win_rate_low"] > 0.5
    unsure = table_of(make(prefers("alder", "birch"), annotators=2))
    assert unsure.reading.startswith("It is not certain that people prefer one of the two systems")


def test_what_these_annotators_prefer_need_not_be_what_others_do() -> None:
    """Two of three always prefer the one, on every question: sure of them, and of nobody else."""
    study = make(prefers("alder", "alder", "birch"), articles=8)
    snapshot = take_snapshot(study=study, resamples=10)
    narrow, wide = (
        tables.tables_of(tables.ask(snapshot, "better", ["wins", "strengths"], asked), ["wins", "strengths"])
        for asked in ({}, {"others": "annotators"})
    )
    assert "alder is preferred to birch" in narrow["wins"].reading
    assert "judged by the same annotators" in narrow["wins"].speaks_for
    assert "not certain that people prefer" in wide["wins"].reading
    assert "other annotators (pigeonhole" in wide["wins"].speaks_for
    assert "the order mattered" in narrow["wins"].reading
    assert "order" not in wide["wins"].reading  # its interval is about these annotators
    assert "intervals over articles;" in narrow["wins"].charts["wins"]
    assert "intervals over articles and annotators;" in wide["wins"].charts["wins"]
    assert wide["wins"].rows[0].win_rate.low < 0.5 < narrow["wins"].rows[0].win_rate.low


def test_how_strong_these_annotators_find_a_system_need_not_be_what_others_do() -> None:
    """Two of three prefer the one nearly always, the third the other."""
    usual = prefers("alder", "alder", "birch")
    contrary = prefers("birch", "birch", "alder")

    def choose(member: Any, item: Item) -> dict[str, Any]:
        chosen: dict[str, Any] = (contrary if item.pk % 5 == 0 else usual)(member, item)
        return chosen

    study = make(choose, articles=8, questions=2)
    snapshot = take_snapshot(study=study, resamples=10)
    narrow, wide = (
        tables.tables_of(tables.ask(snapshot, "better", list(OF_MODEL), asked), list(OF_MODEL))
        for asked in ({}, {"others": "annotators"})
    )
    assert "alder is significantly stronger than all others" in narrow["strengths"].reading
    assert "Any of them may be the strongest" in wide["strengths"].reading
    assert [row.possible for row in wide["strengths"].rows] == ["1 to 2", "1 to 2"]
    for name in OF_MODEL:
        assert wide[name].offers_others
        assert name in WITH_OTHERS
        assert "judged by the same annotators" in narrow[name].speaks_for
        assert "other annotators (pigeonhole" in wide[name].speaks_for
    assert "intervals over articles and annotators." in wide["strengths"].charts["strengths"]
    apart = zip(narrow["strengths"].rows, wide["strengths"].rows, strict=True)
    assert all(other.share.low < one.share.low < one.share.high < other.share.high for one, other in apart)
    (one, *_), (other, *_) = (told["preference-effects"].rows for told in (narrow, wide))
    assert one.p_value is not None
    assert one.p_value <= other.p_value


def test_the_page_the_report_the_chart_and_the_table_as_a_file_show_it(
    client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    study = make(prefers("alder", "alder", "birch"))
    take_snapshot(study=study, resamples=10)
    reader = MemberFactory(study=study, role=Role.RESEARCHER)
    client.force_login(reader.user)
    page = client.get(reverse("agreement_ranking", args=[study.slug])).content.decode()
    assert "Wins, ties and losses" in page
    assert "alder over birch" in page
    assert "could be compared" not in page
    for address in set(re.findall(r'data-spec="([^"]+)"', page)):
        assert client.get(address.replace("&amp;", "&")).status_code == 200
    for kind in ("svg", "png", "csv"):
        assert client.get(reverse("chart", args=[study.slug, "better", "wins", kind])).status_code == 200
    call_command("report_study", study.name)
    assert "alder over birch" in capsys.readouterr().out


def test_an_item_says_which_letter_was_which_system_for_each_annotator(client: Client) -> None:
    study = make(prefers("alder"), questions=1)
    client.force_login(MemberFactory(study=study, role=Role.RESEARCHER).user)
    orders = set()
    for item in some(Item.objects.filter(study=study)):
        page = client.get(reverse("item", args=[study.slug, item.pk])).content.decode()
        seen = re.findall(r"This annotator saw: ([^<]+)<", page)
        system = {each.number: each.answer.system.name for each in item.candidates.all()}
        expected = [
            " · ".join(f"{letter} {system[number]}" for letter, number in zip("AB", each.presented, strict=True))
            for each in Annotation.objects.filter(item=item, is_current=True).order_by("annotator__pseudonym")
        ]
        assert sorted(seen) == sorted(expected)
        orders |= set(seen)
    assert orders == {"A alder · B birch", "A birch · B alder"}


def test_a_tie_counts_half_and_is_told_apart_everywhere(client: Client) -> None:
    def choose(member: Any, item: Item) -> dict[str, Any]:
        return {"better": "tie"} if member.pseudonym != "A" else prefers("alder")(member, item)

    corpus = make_corpus(articles=4, sentences=0, questions=2, systems=("alder", "birch"))
    study = study_with_judgments(corpus=corpus, definition=PAIRWISE | {"aspects": [TIES]}, values=choose, annotators=3)
    (pair,) = result(study)["pairs"]
    assert (pair["wins"], pair["ties"], pair["losses"]) == (8, 16, 0)
    assert pair["value"] == pytest.approx(2 / 3)
    client.force_login(MemberFactory(study=study, role=Role.RESEARCHER).user)
    for name in ("agreement", "agreement_annotators", "agreement_pairs", "agreement_ranking", "items"):
        assert client.get(reverse(name, args=[study.slug])).status_code == 200
    item = Item.objects.filter(study=study).first()
    assert item is not None
    assert client.get(reverse("item", args=[study.slug, item.pk])).content.decode().count("Equally good") == 2
    export = request_export(study=study, requested_by=study.members.first(), format="csv", actor=OPERATOR)
    run_job(EXPORTS, export.pk)
    export.refresh_from_db()
    with export.path.open(newline="") as file:
        said = {(row["better"], row["better_tie"]) for row in csv.DictReader(file)}
    assert said == {("0", "0"), ("0", "1"), ("1", "0")}


def test_where_every_comparison_is_a_tie_it_says_why_there_are_no_strengths(client: Client) -> None:
    corpus = make_corpus(articles=4, sentences=0, questions=2, systems=("alder", "birch"))
    study = study_with_judgments(
        corpus=corpus, definition=PAIRWISE | {"aspects": [TIES]}, values=lambda member, item: {"better": "tie"}
    )
    found = result(study)["ranking"]
    assert (found["share_of_ties"], found["undefined_because"]) == (None, ONLY_TIES)
    client.force_login(MemberFactory(study=study, role=Role.RESEARCHER).user)
    page = client.get(reverse("agreement_ranking", args=[study.slug])).content.decode()
    assert f"How often two equally strong answers tie is not defined: {ONLY_TIES}" in page


def test_a_tie_is_one_choice_more_where_the_scheme_has_it() -> None:
    scheme = build_scheme(PAIRWISE | {"aspects": [TIES]})
    shape = ItemShape(candidates=2)
    assert check_judgment(scheme, {"better": "tie"}, shape) == {"better": "tie"}
    with pytest.raises(InvalidJudgmentError):
        check_judgment(build_scheme(PAIRWISE), {"better": "tie"}, shape)
    assert renumber_candidates(scheme, {"better": "tie"}, {1: 2, 2: 1}) == {"better": "tie"}
    material = ItemTexts(question="Why?", answers=(Answer(2, "One."), Answer(1, "Two.")))
    options = options_of(scheme, scheme.aspects[0], material)
    assert [(option.key, option.label) for option in options] == [("2", "A"), ("1", "B"), ("tie", "Equally good")]


def drawn_at_random(strengths: dict[str, float], *, by_length: bool = False) -> Any:
    """Everyone prefers a system in proportion to its strength; or the longer answer."""
    from random import Random

    random = Random(0)

    def choose(member: Any, item: Item) -> dict[str, Any]:
        candidates = sorted(item.candidates.select_related("answer__system"), key=lambda each: each.number)
        if by_length and random.random() < 0.8:
            return {"better": str(max(candidates, key=lambda each: len(each.answer.text)).number)}
        weights = [strengths[each.answer.system.name] for each in candidates]
        return {"better": str(random.choices(candidates, weights)[0].number)}

    return choose


def test_strengths_order_the_systems_and_the_page_says_how_sure_that_is(client: Client) -> None:
    names = ("alder", "birch", "cedar")
    study = make(
        drawn_at_random({"alder": 1, "birch": 4, "cedar": 12}), articles=12, questions=4, annotators=2, systems=names
    )
    found = result(study)["ranking"]
    assert [each["system"] for each in found["systems"]] == ["cedar", "birch", "alder"]
    assert [each["rank"] for each in found["systems"]] == [1, 2, 3]
    assert found["systems"][0]["ranks"] == [1, 1]
    assert found["systems"][0]["share"]["interval"][0] > 0.5
    assert sum(each["strength"]["value"] for each in found["systems"]) == pytest.approx(0, abs=1e-8)
    assert found["systems"][0]["share"]["units"] == 12
    assert found["parts"] == [["alder", "birch", "cedar"]]
    client.force_login(MemberFactory(study=study, role=Role.RESEARCHER).user)
    page = client.get(reverse("agreement_ranking", args=[study.slug])).content.decode()
    assert "cedar is significantly stronger than all others" in page
    for chart in ("strengths", "preference-effects"):
        assert client.get(reverse("chart", args=[study.slug, "better", chart, "svg"])).status_code == 200


def test_a_preference_for_long_answers_is_told_from_the_systems() -> None:
    from annotation_platform.corpus.models import Answer as StoredAnswer

    study = make(lambda member, item: {"better": "1"}, articles=20, questions=2, annotators=1)
    for place, answer in enumerate(StoredAnswer.objects.order_by("question_id", "system__name")):
        answer.text = "word " * (4 if (place // 2 + place) % 2 else 12)
        answer.save()
    choose = drawn_at_random({"alder": 1, "birch": 1}, by_length=True)
    for annotation in Annotation.objects.filter(item__study=study):
        annotation.ratings.update(choice=choose(None, annotation.item)["better"])
    (length,) = [each for each in result(study)["ranking"]["effects"] if each["what"] == "length"]
    assert length["share"]["interval"][0] > 0.5


def test_of_preferences_a_bundle_says_that_they_are_not_weighed_where_chances_of_the_draw_differ() -> None:
    corpus = make_corpus(articles=1, sentences=0, questions=12, systems=("alder", "birch"))
    study = make_study(corpus=corpus, definition=PAIRWISE, overlap=1, questions_per_hit=1, hits_per_batch=12)
    plan_batches(study=study)
    hits = Hit.objects.filter(batch__study=study).order_by("pk").values_list("pk", flat=True)
    uneven = Uncertainty(7, "run's signature", "probability", {pk: float(n) for n, pk in enumerate(hits)})
    batch = draw_batch(study=study, tasks=8, floor=0.2, uncertainty=uneven, seed="1", actor=OPERATOR)
    open_batch(batch=batch, actor=OPERATOR)
    member = MemberFactory(study=study, pseudonym="A")
    judge_everything(member, lambda item: prefers("alder", "birch")(member, item))
    close_all(study)
    bundled = {entry.stem: entry.table.reading for entry in entries(take_snapshot(study=study, resamples=10))}
    for name in ("strengths", "wins", "preference-effects"):
        assert only_of_judged_ones() in bundled[f"better/{name}"]
