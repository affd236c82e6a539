"""The pages of figures in Japanese: sentences, tables and forms; files and charts are in English for everybody."""

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.translation import gettext, override

from annotation_platform.accounts.language import why_in_language
from annotation_platform.analysis.sections.equivalence.words import RULES
from annotation_platform.analysis.sections.planning.forms import START, StatedForm
from annotation_platform.analysis.snapshots.stored import FIGURES
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.analysis.tables.base import INTERVAL, NO_INTERVALS, Column, FigureTable
from annotation_platform.core.methods.equivalence.rules import Rule
from annotation_platform.core.reasons import Reason, all_sentences
from annotation_platform.studies.models import Item, Member, Study
from tests.analysis.study_rows import client_of, score
from tests.annotations.test_languages import english_words
from tests.factories import LABELS, make_corpus, study_with_judgments
from tests.markup import markup

pytestmark = [pytest.mark.django_db, pytest.mark.xdist_group("figures in japanese")]
JAPANESE = {"Accept-Language": "ja"}
# Names of methods, of units and of commands, which are the same in both languages.
SAME = set(
    re.findall(
        r"[A-Za-z]{3,}",
        "Krippendorff Fleiss Cohen Gwet ICC Dawid Skene MACE Jaccard MASI LLM MATE EBR REV ROUGE BERTScore Holm "
        "UTC SVG PNG CSV Pearson Spearman Student Kendall manage report study json aspect section nbsp amp log",
    )
)


def judged(member: Member, item: Item) -> dict[str, Any]:
    return {"completeness": LABELS[(item.position + ord(member.pseudonym)) % 4], "reasons": "It leaves out the ferry."}


@pytest.fixture(scope="module")
def study(module_db: None) -> Study:
    corpus = make_corpus(questions=6, systems=("alder", "birch"))
    found = study_with_judgments(annotators=4, overlap=4, corpus=corpus, values=judged)
    score(found)
    take_snapshot(study=found, resamples=40)
    return found


def page(study: Study, name: str, client: Client | None = None, **asked: str) -> str:
    response = (client or client_of(study)).get(reverse(name, args=[study.slug]), asked, headers=JAPANESE)
    assert response.status_code in (200, 422)
    return markup(response)


@pytest.mark.parametrize(
    ("name", "heading", "sentence"),
    [
        ("agreement", "一致度", "アノテーター4人による"),
        ("agreement_annotators", "アノテーター", "ほかの人とのτ"),
        ("agreement_pairs", "アノテーターの組", "換算による組のτの変化"),
        ("agreement_systems", "システム", "平均は、高い順に"),
        ("agreement_ranking", "順位", "順序の確かさ"),
        ("agreement_consensus", "統合ラベル", "多数決では"),
        ("agreement_raters", "評価者は何人必要か", "目標とするρの下限"),
        ("agreement_planning", "いくつ必要ですか", "この研究は"),
        ("agreement_variants", "バリアントと混合", "残った分散"),
        ("agreement_human_llm", "人とLLM", "その実行を始める"),
        ("agreement_judges", "判定モデル", "その実行を始める"),
        ("agreement_snapshots", "スナップショット", "数値は、バッチが終了したとき"),
        ("agreement_explanations", "説明に書かれていること", ""),
    ],
)
def test_a_page_of_figures_is_in_japanese(study: Study, name: str, heading: str, sentence: str) -> None:
    shown = page(study, name)

    assert '<html lang="ja">' in shown
    assert re.search(rf"<h1>\s*{heading}", shown)
    assert sentence in shown
    assert english_of(study, shown) == set()


def english_of(study: Study, shown: str) -> set[str]:
    """English words of a page that are neither names of methods nor the study's own."""
    main = re.split(r"</?main[^>]*>", re.sub(r"<code.*?</code>", "", shown, flags=re.DOTALL))[1]
    aspects = study.snapshots.latest().head.aspects
    own = {
        study.name,
        str(study.scheme_version),
        "alder birch It leaves out the ferry",
        *(each.title for each in aspects),
    }
    own |= {label.label for each in aspects for label in each.labels}
    own |= set(Item.objects.filter(study=study).values_list("question__text", flat=True))
    own |= set(Item.objects.filter(study=study).values_list("question__article__title", flat=True))
    return english_words(main) - SAME - {word for text in own for word in re.findall(r"[A-Za-z]{3,}", str(text))}


def test_a_form_says_in_japanese_what_it_asks_and_what_is_wrong() -> None:
    with override("ja"):
        form = StatedForm({"annotators": "many", "length": ""}, START)
        assert str(form["annotators"].label) == "回答あたりのアノテーター"
        assert form.errors["annotators"] == ["1から100までの整数を書いてください。"]
        assert form.errors["length"] == ["0.001から1,000,000までの数を書いてください。"]
        assert "尺度の9%" in str(form["sd_articles"])


def test_an_error_is_told_in_japanese(study: Study) -> None:
    response = client_of(study).get(
        reverse("agreement_pairs", args=[study.slug]), {"setting": "none"}, headers=JAPANESE
    )

    assert response.status_code == 404
    assert "設定" in response.content.decode()


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_files_and_charts_are_the_same_for_every_reader(study: Study, kind: str) -> None:
    address = reverse("chart", args=[study.slug, "completeness", "agreement", kind])
    client = client_of(study)

    japanese, english = (client.get(address, headers={"Accept-Language": code}).content for code in ("ja", "en"))

    assert japanese == english
    assert "τ, all items" in english.decode("unicode_escape" if kind == "json" else "utf-8")


def test_a_comparison_as_a_file_is_the_same_for_every_reader(study: Study) -> None:
    take_snapshot(study=study, resamples=50)
    then, now = study.snapshots.order_by("pk")
    asked = {"then": str(then.pk), "now": str(now.pk), "as": "csv"}
    address = reverse("compare_snapshots", args=[study.slug])
    client = client_of(study)

    japanese, english = (client.get(address, asked, headers={"Accept-Language": code}).content for code in ("ja", "en"))

    assert japanese == english
    assert not re.search("[ぁ-んァ-ヶ一-龠]", english.decode())
    assert "再標本の数は前が40、今が50" in page(study, "compare_snapshots", client, **asked | {"as": ""})


def test_a_reason_with_and_without_a_code_is_told_in_japanese() -> None:
    with override("ja"):
        assert why_in_language("No item has two ratings.") == "評価が二つある項目がありません。"
        assert why_in_language(Reason("statistics.no_item_by_all", raters=3)).startswith("評価者3人の全員が")
        column = Column("undefined_because", "")
        assert column.show({"undefined_because": "No item has two ratings."}) == "評価が二つある項目がありません。"


def test_a_caption_that_speaks_of_intervals_says_in_japanese_that_there_are_none() -> None:
    caption = "Dots are Krippendorff α of the labels, lines 95\u00a0% intervals."
    with override("ja"):
        table = FigureTable("x", "", "", [], [{"raw_low": None}], charts={"x": gettext(caption)})
        assert table.charts["x"].endswith(gettext(NO_INTERVALS))
        assert gettext(INTERVAL) in table.charts["x"]


def test_what_figures_are_called_and_the_guards_sentences_have_their_japanese() -> None:
    with override("ja"):
        same = {"τ", "Gwet AC"}
        assert [each.title for each in FIGURES.values() if gettext(each.title) == each.title] in ([], sorted(same))
        assert {gettext(each) for each in RULES.values()}.isdisjoint(RULES.values())
        guarded = [code for code in all_sentences() if code.startswith("rescaling.guard_")]
        assert all(gettext(str(all_sentences()[code])) != all_sentences()[code] for code in guarded[:-1])
    assert set(RULES) == set(Rule)


def test_a_tables_reasons_are_told_in_the_language_in_which_it_is_shown() -> None:
    reasons = [Reason("studies.no_study"), "in somebody's own words", Reason("studies.no_study"), ""]
    columns = [Column("undefined_because", "Why")]
    table = FigureTable("some", "Some", "", columns, [{"undefined_because": why} for why in reasons])
    for language in ("en", "ja", "en"):
        with override(language):
            expected = [why_in_language(why) for why in reasons]
            assert [text for ((text, _is_number),) in table.shown_lines] == expected
            assert (expected[0] == reasons[0]) == (language == "en")
