"""The dashboards of the Agreement tab: annotators, systems, pairs, snapshots; what was planted is what they say."""

import csv
import io
import json
import shlex
from dataclasses import replace
from html import unescape
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from annotation_platform.analysis.models import AgreementSnapshot
from annotation_platform.analysis.sections.annotators.people import annotators_of
from annotation_platform.analysis.sections.annotators.words import far_in_words
from annotation_platform.analysis.sections.history.comparison import compared_table, headline_table, what_differs
from annotation_platform.analysis.sections.labels.tables import parts_of
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.analysis.tables import registry as tables
from annotation_platform.annotations.models import Annotation, Rating
from annotation_platform.scoring.models import Score
from annotation_platform.studies.models import Item, Member, Study
from tests.analysis.study_rows import client_of, score, scored_study
from tests.factories import LABELS, make_corpus, study_with_judgments
from tests.markup import markup
from tests.some import some

pytestmark = [pytest.mark.django_db, pytest.mark.xdist_group("dashboards")]
STRICT, HASTY = "F", "E"


def planted(member: Member, item: Item) -> dict[str, Any]:
    """Six annotators of whom F finds everything a label or two worse; system alder is better than birch."""
    quality = (item.position + (0 if item.answer.system.name == "alder" else 1)) % 3
    place = quality + (2 if member.pseudonym == STRICT else (ord(member.pseudonym) + item.pk) % 2)
    explanation = "The answer is correct." if member.pseudonym == HASTY else f"It leaves out harbour {item.pk}."
    return {"completeness": LABELS[min(place, 3)], "reasons": explanation}


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    """The study that was planted, scored and measured; once for all tests, whose own changes are undone."""
    corpus = make_corpus(questions=8, systems=("alder", "birch"))
    found = study_with_judgments(annotators=6, overlap=6, corpus=corpus, values=planted)
    score(found)
    for member in found.members.all():
        Annotation.objects.filter(annotator=member).update(seconds=10 if member.pseudonym == HASTY else 60)
    take_snapshot(study=found, resamples=40)
    return found


def key_of(study: Study, name: str) -> str:
    return str(study.members.get(pseudonym=name).pk)


def page_of(study: Study, name: str, client: Client | None = None, *arguments: str, **asked: str) -> str:
    response = (client or client_of(study)).get(reverse(name, args=[study.slug, *arguments]), asked)
    assert response.status_code == 200
    return markup(response)


def asked_of(study: Study, *names: str, **parameters: str) -> tables.TableRequest:
    return tables.ask(study.snapshots.latest(), "completeness", names, parameters)


def leniency_by_hand(name: str) -> float:
    rows = list(
        Rating.objects.filter(aspect="completeness").values_list(
            "annotation__item_id", "annotation__annotator__pseudonym", "number"
        )
    )
    apart = []
    for item, annotator, number in rows:
        if annotator == name:
            others = [n for i, a, n in rows if i == item and a != name]
            apart.append(number - sum(others) / len(others))
    return sum(apart) / len(apart)


def test_leniency_time_and_vacuous_explanations_are_those_of_the_rows(study: Study) -> None:
    people = {each.name: each for each in annotators_of(asked_of(study, "annotators"))}
    for name, person in people.items():
        assert person.leniency.value == pytest.approx(leniency_by_hand(name))
        assert person.seconds is not None
        assert person.vacuous is not None
        assert person.drift is not None
        assert person.seconds.value == (10 if name == HASTY else 60)
        assert person.vacuous.value == (1 if name == HASTY else 0)
        assert person.tau.value is not None
        assert person.drift.value is not None


def test_who_stands_apart_is_said_in_words_on_both_pages(study: Study) -> None:
    client = client_of(study)
    asked = asked_of(study, "annotators")
    words = far_in_words({each.name: each for each in annotators_of(asked)}[STRICT], asked.head)
    assert any("far stricter than the others" in sentence for sentence in words)
    assert words[0] in page_of(study, "agreement_annotators", client)
    alone = page_of(study, "agreement_annotator", client, key_of(study, STRICT))
    assert words[0] in alone
    assert f"Annotator {STRICT} with each of the others" in alone
    assert "@" not in alone.split("<main")[1].split("</main")[0].replace("report_study", "")


def test_nobody_of_another_name_has_a_page(study: Study) -> None:
    address = reverse("agreement_annotator", args=[study.slug, 0])
    assert client_of(study).get(address).status_code == 404


def test_labels_can_be_shown_for_the_answers_of_one_system(study: Study) -> None:
    page = page_of(study, "agreement_annotators", part="alder")
    assert "Labels by annotator, alder" in page
    asked = asked_of(study, "labels-annotator", part="alder")
    table = tables.tables_of(asked, ["labels-annotator"])["labels-annotator"]
    for row in some(table.cells):
        labels = Rating.objects.filter(
            aspect="completeness",
            annotation__annotator__pseudonym=row["name"],
            annotation__item__candidates__answer__system__name="alder",
        )
        assert row["judgments"] == labels.count()
        assert row["label_complete_count"] == labels.filter(choice="complete").count()
    wrong = client_of(study).get(reverse("agreement_annotators", args=[study.slug]), {"part": "cedar"})
    assert wrong.status_code == 404


def test_systems_are_ranked_with_how_sure_that_is(study: Study) -> None:
    found = tables.tables_of(asked_of(study, "ranks", "differences", "means-system"), ["ranks", "differences"])
    first, second = found["ranks"].cells
    assert first["rank_1"] + first["rank_2"] == pytest.approx(1)
    assert first["rank_1"] == pytest.approx(second["rank_2"], abs=0.05)  # they may share a rank
    (difference,) = found["differences"].cells
    scores = {
        system: list(
            Score.objects.filter(annotation__item__candidates__answer__system__name=system).values_list(
                "value", flat=True
            )
        )
        for system in ("alder", "birch")
    }
    means = {system: sum(values) / len(values) for system, values in scores.items()}
    assert difference["difference"] == pytest.approx(means["birch"] - means["alder"])
    assert difference["p_value"] == difference["p_holm"]  # a family of one
    score(study, lambda annotation: 90.0 if annotation.item.answer.system.name == "alder" else 10.0)
    take_snapshot(study=study, resamples=20)
    page = page_of(study, "agreement_ranking")
    assert (
        "alder comes first, alone or with another, in 100.0\u00a0% of the resamples. The whole order is stable" in page
    )
    for title in ("How sure the order is", "Differences of systems"):
        assert title in page


def test_systems_of_a_family_are_also_counted_together() -> None:
    corpus = make_corpus(articles=2, questions=2, systems=("alder", "birch", "oak"))
    for article, source in zip(corpus.articles.all(), ("north", "south"), strict=True):
        article.source = source
        article.save()
    corpus.systems.exclude(name="oak").update(family="trees")
    corpus.systems.filter(name="oak").update(family="alone")
    study = scored_study(corpus=corpus)
    take_snapshot(study=study, resamples=20)
    asked = asked_of(study, "labels-system", "labels-annotator")
    rows = {row["name"]: row for row in tables.tables_of(asked, ["labels-system"])["labels-system"].cells}
    assert set(rows) == {"All", "alder", "birch", "oak", "trees (together)"}
    together, keys = rows["trees (together)"], [key for key in rows["oak"] if key.endswith("_count")]
    for key in ["judgments", "items", *keys]:
        assert together[key] == rows["alder"][key] + rows["birch"][key]
    assert together["label_complete_low"] is not None
    assert "alone" not in parts_of(asked)

    def judgments_of(part: str) -> int:
        found = tables.tables_of(replace(asked, parameters={"part": part}), ["labels-annotator"])["labels-annotator"]
        return sum(row["judgments"] for row in found.cells)

    assert judgments_of("trees") == together["judgments"]
    for source in ("north", "south"):
        single = [judgments_of(f"{source}~{system}") for system in ("alder", "birch")]
        assert judgments_of(f"{source}~trees") == sum(single) > 0


def test_changes_of_pairs_stand_in_a_table_with_p_for_all_pairs_together(study: Study) -> None:
    page = page_of(study, "agreement_pairs", setting="incomplete")
    assert "What rescaling changes in the τ of pairs" in page
    assert "p (Holm)" in page
    rows = tables.tables_of(asked_of(study, "pairs"), ["pairs"])["pairs"].cells
    given = sorted((row["p_value"], row["p_holm"]) for row in rows if row["p_value"] is not None)
    assert given[0][1] == pytest.approx(min(1, given[0][0] * len(given)))


def test_each_figure_names_the_command_that_gives_it_again(study: Study) -> None:
    study.name = 'Tom\'s "$study"'
    study.save()
    page = unescape(page_of(study, "agreement_systems"))
    word = shlex.quote(study.name)
    assert f"manage.py report_study {word} --json --aspect completeness --section mean_by_system" in page
    overview = unescape(page_of(study, "agreement"))
    assert f"Computed again by <code>manage.py report_study {word} --json</code>" in overview
    out = StringIO()
    call_command(
        "report_study",
        study.name,
        "--json",
        "--aspect=completeness",
        "--section=mean_by_system",
        stdout=out,
        stderr=StringIO(),
    )
    (aspect,) = json.loads(out.getvalue())["aspects"]
    assert "mean_by_system" in aspect
    assert "pairs_all" not in aspect
    for wrong in ("--aspect=color", "--section=weather"):
        with pytest.raises(CommandError, match="There is no"):
            call_command("report_study", study.name, "--json", wrong, stdout=StringIO(), stderr=StringIO())
        with pytest.raises(CommandError, match="choose figures of --json"):
            call_command("report_study", study.name, wrong, stdout=StringIO(), stderr=StringIO())


class TestSnapshots:
    @pytest.fixture
    def two(self, study: Study) -> tuple[AgreementSnapshot, AgreementSnapshot]:
        """The study's snapshot, and one of other scores."""
        then = study.snapshots.get()
        score(study, lambda annotation: 50.0 + annotation.item_id % 7)
        newest = study.scoring_runs.order_by("pk").last()
        study.scoring_runs.filter(pk=newest.pk).update(signature="b" * 64)
        return then, take_snapshot(study=study, resamples=40)

    def test_what_differs_is_said_and_every_figure_stands_then_and_now(
        self, two: tuple[AgreementSnapshot, AgreementSnapshot]
    ) -> None:
        then, now = two
        scores, read = what_differs(then, now)
        assert scores.startswith(f"The scores were those of run {then.run_id}, Distilled rescaler (")
        assert read.startswith("What was read is not the same for: ")
        assert now.head.aspects[0].title in read
        rows = {row["figure"]: row for row in compared_table(then, now, "completeness").cells}
        tau = [one.figures["aspects"][0]["pairwise_tau"]["all"]["rescaled"]["mean"]["value"] for one in two]
        row = rows["τ · all · rescaled"]
        assert (row["then"], row["now"]) == tuple(tau)
        assert row["change"] == pytest.approx(tau[1] - tau[0])
        assert row["remark"] == "beyond the interval of then"
        assert "Krippendorff α · raw" not in rows  # it is the same

    def test_a_snapshot_is_the_same_as_itself(self, study: Study) -> None:
        snapshot = study.snapshots.get()
        assert what_differs(snapshot, snapshot) == []
        assert headline_table(snapshot, snapshot).reading.endswith("figures has changed.")

    def test_pages_list_them_compare_them_and_give_the_figures_as_a_file(
        self, study: Study, two: tuple[AgreementSnapshot, AgreementSnapshot]
    ) -> None:
        client = client_of(study)
        listed = page_of(study, "agreement_snapshots", client)
        assert all(snapshot.signature[:12] in listed for snapshot in some(two))
        overview = page_of(study, "agreement", client)
        assert "The scores were those of" in overview
        chosen = {"then": str(two[1].pk), "now": str(two[0].pk)}  # the wrong way round
        page = page_of(study, "compare_snapshots", client, **chosen)
        assert "beyond the interval of then" in page
        address = reverse("compare_snapshots", args=[study.slug])
        rows = list(csv.DictReader(io.StringIO(client.get(address, chosen | {"as": "csv"}).content.decode())))
        assert rows[0].keys() >= {"figure", "then", "then_low", "now", "change"}
        for wrong in ({}, {"then": "x", "now": "y"}, {"then": str(two[0].pk), "now": "999999"}):
            assert client.get(address, wrong).status_code == 404

    def test_another_studys_snapshot_cannot_be_compared(
        self, study: Study, two: tuple[AgreementSnapshot, AgreementSnapshot]
    ) -> None:
        other = study_with_judgments(name="Other")
        own = take_snapshot(study=other, resamples=10)
        answer = client_of(other).get(
            reverse("compare_snapshots", args=[other.slug]), {"then": str(two[0].pk), "now": str(own.pk)}
        )
        assert answer.status_code == 404


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("agreement", ()),
        ("agreement_annotators", ()),
        ("agreement_annotator", (STRICT,)),
        ("agreement_systems", ()),
        ("agreement_pairs", ()),
        ("agreement_snapshots", ()),
    ],
)
def test_a_page_asks_a_constant_number_of_queries_and_loads_its_own_sections_only(
    study: Study,
    name: str,
    arguments: tuple[str, ...],
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    client = client_of(study)
    arguments = tuple(key_of(study, each) for each in arguments)
    page_of(study, name, client, *arguments)
    with django_assert_max_num_queries(17) as queries:
        page_of(study, name, client, *arguments)
    loads = [query["sql"] for query in queries.captured_queries if "snapshotsection" in query["sql"]]
    assert all('"key"' in sql for sql in loads)
    assert len(loads) <= 2
