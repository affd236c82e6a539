"""The researcher's pages of a study's crowd in Japanese: what people do before work, checks, pace, monitor, rounds."""

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.translation import override

from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.models import User
from annotation_platform.analysis.explorer.indexing import index_items
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.corpus.models import Answer, Article, Corpus, Question, Sentence, System
from annotation_platform.crowd.checks.models import Action
from annotation_platform.crowd.checks.services import apply_rule
from annotation_platform.crowd.consent.services import publish_text
from annotation_platform.crowd.languages.services import NAMES as LANGUAGES
from annotation_platform.crowd.monitor.measuring import measure
from annotation_platform.crowd.monitor.models import Sign
from annotation_platform.crowd.pacing.gates import verdicts_of
from annotation_platform.crowd.pacing.services import pacing_of
from annotation_platform.crowd.rounds.models import Round, Rule
from annotation_platform.crowd.rounds.services import end_round
from annotation_platform.studies.models import Item, Member, Role, Study
from annotation_platform.studies.services import plan_batches
from tests.annotations.test_languages import english_words
from tests.crowd.checks.pieces import WRONG as FAILED
from tests.crowd.checks.pieces import judge, set_rule, study_with_checks, take
from tests.crowd.late.pieces import free_the_place, late_desk
from tests.crowd.pieces import signed_in
from tests.crowd.rounds.pieces import WRONG, go_through, new_round
from tests.factories import OPERATOR, MemberFactory, make_corpus, make_study, study_with_judgments
from tests.markup import markup

pytestmark = [pytest.mark.django_db, pytest.mark.pages]
NAMES = {"CSV", "JSON", "UTC", "Prolific", "Tokyo", "Asia"}
OF_FILES = {
    *("gold", "attention", "article", "question", "system", "aspect", "accepted", "kind", "item", "none"),
    *("must", "pass", "explanation", "true"),
}
COPIED = "The answer leaves out that the library closes for two weeks in June, and why."


def own_words(study: Study) -> set[str]:
    """What a study itself says in English, and who is named there."""
    said: list[str] = [
        study.name,
        *LANGUAGES.values(),
        *study.round_studies.values_list("name", flat=True),
        "Round person",
        COPIED,
    ]
    for model in (Corpus, Article, Question, Answer, Sentence, System, User, Member):
        for row in model.objects.values():
            said += [str(value) for value in row.values()]
    said.append(str(study.scheme_version.definition))
    return set(re.findall(r"[A-Za-z]{3,}", " ".join(said)))


def page_of(member: Member, name: str, *more: Any, status: int = 200, sent: dict[str, Any] | None = None) -> str:
    url = reverse(name, args=[member.study.slug, *more])
    client = signed_in(member, "ja")
    response = client.get(url) if sent is None else client.post(url, sent)
    assert response.status_code == status
    page = markup(response)
    assert '<html lang="ja">' in page
    return page


def left_in(page: str, study: Study) -> set[str]:
    return english_words(page) - own_words(study) - NAMES - OF_FILES


def researcher_of(study: Study) -> Member:
    member: Member = MemberFactory(study=study, role=Role.RESEARCHER)
    return member


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    study = study_with_judgments(corpus=make_corpus(articles=2, questions=3), name="Owls")
    take_snapshot(study=study, resamples=5)
    index_items(study=study)
    return study


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("crowd", "<h1>クラウド</h1>"),
        ("consent_texts", "すべてのアノテーターが、次のタスクの前にこれを読んで返答します。"),
        ("crowd_languages", "次の言語をすべて読める人だけがタスクを行えます"),
        ("rounds", "ラウンドはありません。参加した人はすぐにタスクを始められます。"),
        ("new_round", '<label for="id_least_percent">一致の下限（％）</label>'),
        ("checks", "まだ確認項目がありません。"),
        ("pick_check", "質問または回答の言葉"),
        ("monitor", "注目したい人だけ"),
        ("crowd_release", "公開できるバッチが残っていません。すべて公開中か終了しています。"),
        ("crowd_late", "決定を待つものはありません。"),
        ("adjudication", "最新の測定で判定が最も離れている項目から順に並びます。"),
    ],
)
def test_a_page_is_in_japanese(study: Study, name: str, sentence: str) -> None:
    page = page_of(researcher_of(study), name)
    assert sentence in page
    assert left_in(page, study) == set()


def test_an_item_is_decided_on_in_japanese(study: Study) -> None:
    researcher, item = researcher_of(study), study.items.first()
    assert isinstance(item, Item)
    page = page_of(researcher, "adjudicate", item.pk)
    assert '<h2 id="said">判定3件</h2>' in page
    assert left_in(page, study) == set()
    sent = {"scheme": study.scheme_version.signature}
    refused = page_of(researcher, "adjudicate", item.pk, status=422, sent=sent)
    assert "一つ選んでください。" in refused
    assert "文を挙げるか、「答えになる文はない」に印をつけてください。" in refused


def test_limits_and_what_they_rest_on_are_told_in_japanese_and_kept_in_no_language(study: Study) -> None:
    researcher = researcher_of(study)
    page = page_of(researcher, "crowd_release")
    assert "クリッペンドルフのα：" in page
    assert re.search("項目[0-9]+件の判定[0-9]+件", page)
    sent = {"step": "pacing", "batches_at_once": "1", "every_hours": "24", "bound": "value"}
    sent["limit-agreement.completeness"] = "much"
    assert "の限度が数値ではありません。" in page_of(researcher, "crowd_release", status=422, sent=sent)
    with override("ja"):
        title = verdicts_of(pacing_of(study))[0].reading.title
        assert title.startswith("Krippendorff α: ")
        assert in_language(title).startswith("クリッペンドルフのα：")


def test_what_stands_out_is_told_in_the_readers_language(db: None) -> None:
    def said(member: Member, item: Item) -> dict[str, Any]:
        label = {"correct": "yes", "completeness": "complete"} if member.pseudonym == "A" else {"correct": "no"}
        return label | {"reasons": f"{COPIED} {item.pk}"}

    study = study_with_judgments(corpus=make_corpus(articles=2, questions=4), values=said, close=False)
    researcher, somebody = researcher_of(study), study.members.get(pseudonym="A")
    with override("ja"):
        measure(study)
    assert "another person's of the same item" in str(Sign.objects.get(member=somebody, kind="copied").words)
    page = page_of(researcher, "watched_annotator", somebody.pk)
    for sentence in (
        "ほかの人とほぼ同じ言葉",
        "どちらがどちらを写したのか",
        "ほかの人のラベルのうち本人と同じものの割合は",
    ):
        assert sentence in page
    assert left_in(page, study) == set()
    assert "at least 90% the same as another person&#x27;s" in markup(
        signed_in(researcher).get(reverse("watched_annotator", args=[study.slug, somebody.pk]))
    )
    table = page_of(researcher, "monitor")
    assert re.search("ヒント[0-9]+件", table)
    assert left_in(table, study) == set()
    refused = page_of(researcher, "act_on_annotator", somebody.pk, status=422, sent={"action": "exclude"})
    assert "理由を書いてください。" in refused


def test_checks_and_what_the_rule_did_are_told_in_japanese(db: None) -> None:
    study = study_with_checks(checks=4, articles=2)
    set_rule(study, action=Action.PAUSE, most_failed=1, words="文書を最後まで読んでください。")
    somebody: Member = MemberFactory(study=study)
    judge(take(somebody), checks=FAILED)
    apply_rule(annotator_id=somebody.pk)
    researcher, check = researcher_of(study), study.checks.all()[0]
    page = page_of(researcher, "checks")
    for sentence in ("確認項目1件のうち1件が不合格。", "一時停止中", "正解付き", "合格率（95%信頼区間）"):
        assert sentence in page
    assert left_in(page, study) == set()
    form = page_of(researcher, "check", check.pk)
    assert f"<h1>確認項目{check.pk}</h1>" in form
    assert left_in(form, study) == set()
    assert "少なくとも一つの観点について" in page_of(researcher, "check", check.pk, status=422, sent={})
    assert "この値は" in page_of(researcher, "change_check_rule", status=422, sent={"every": "0"})


def test_a_round_and_an_attempt_are_told_in_japanese(study: Study) -> None:
    new: Round = new_round(study, rule=Rule.BEST, best_count=1, is_reviewed=True, valid_days=30, title="ラウンド1")
    researcher, somebody = researcher_of(study), MemberFactory(study=study)
    attempt = go_through(new, somebody, {1: WRONG})
    end_round(round_=new, actor=OPERATOR)
    for name, arguments, sentence in (
        ("rounds", (), "ラウンド終了時に終えていた人のうちの上位（75%以上、上位1人）。担当者が確認。"),
        ("rounds", (), "受験は1回まで。合格の有効期間は30日。"),
        ("rounds", (), "1人が始め、0人が合格。"),
        ("round", (new.pk,), "受験1件が合否の決定を待っています。"),
        ("round_key", (new.pk,), "認められた文との重なりが50%以上なら一致です。"),
        ("round_item_key", (new.pk, 1), "項目 1 / 2"),
        ("review_attempt", (attempt.pk,), "認められた回答4個のうち2個が一致（50%）。"),
    ):
        page = page_of(researcher, name, *arguments)
        assert sentence in page
        assert left_in(page, study) == set(), name
    sent = {"title": "", "rule": "share", "attempts_allowed": "0"}
    refused = page_of(researcher, "new_round", status=422, sent=sent)
    assert "1から100までの数を書いてください。" in refused
    assert "コーパスと研究のどちらか一方を選んでください。" in refused


def test_late_work_is_told_in_japanese(db: None) -> None:
    desk = late_desk()
    free_the_place(desk)
    researcher = researcher_of(desk.study)
    page = page_of(researcher, "crowd_late")
    assert "質問2問のうち2問が判定済み、そのうち2問が時間切れの後。" in page
    assert left_in(page, desk.study) == set()
    task = (desk.assignment.hit_id, desk.annotator.pk)
    assert "（決定待ち）" in page_of(researcher, "crowd_late_judgments", *task)
    assert "理由を書いてください。" in page_of(researcher, "crowd_late_decide", *task, status=422, sent={"because": ""})


def test_what_was_published_and_what_comes_next_is_told_in_japanese(db: None) -> None:
    study = make_study(corpus=make_corpus(articles=1, questions=2), name="Kites", hits_per_batch=1)
    plan_batches(study=study)
    publish_text(study=study, texts={"en": "We keep what you say.", "ja": "回答を保存します。"}, actor=OPERATOR)
    researcher = researcher_of(study)
    assert "版 1（" in page_of(researcher, "consent_texts")
    assert "少なくとも一つの言語で文を書いてください。" in page_of(
        researcher, "consent_texts", status=422, sent={"en": ""}
    )
    page = page_of(researcher, "crowd_release")
    assert "自動では公開されません。下書きのバッチが" in page
    assert left_in(page, study) == set()
    client: Client = signed_in(researcher, "ja")
    sent = {"step": "now", "after": "0", "because": "試しに"}
    done = client.post(reverse("crowd_release", args=[study.slug]), sent, follow=True)
    assert "公開しました：バッチ1。" in markup(done)
