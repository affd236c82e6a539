"""The researchers' pages of pay, sources, review and talk in Japanese, and what stays English in their files."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.html import strip_tags

from annotation_platform.annotations.services import send_message, send_message_about_study
from annotation_platform.corpus.models import Article
from annotation_platform.crowd.pay.models import PaymentRun
from annotation_platform.crowd.pay.paid_file import COLUMNS
from annotation_platform.crowd.pay.services import approve_payment, collect_payment, correct, credit_assignment
from annotation_platform.crowd.providers.prolific import calls
from annotation_platform.crowd.providers.prolific.models import ProlificStudy, ProviderCall
from annotation_platform.crowd.providers.prolific.offering import Offer, make_offer
from annotation_platform.crowd.providers.prolific.orders import pay_bonuses, reject
from annotation_platform.crowd.review import services as reviewing
from annotation_platform.crowd.talk.models import Audience
from annotation_platform.crowd.talk.services.announcements import announce, end_announcement
from annotation_platform.crowd.talk.services.faq import TEXTS, add_entry
from annotation_platform.studies.models import Member, Role, Study
from tests.annotations.test_languages import english_words
from tests.crowd.pay.paying import agree, by, paying_study
from tests.crowd.pay.work import do
from tests.crowd.pieces import signed_in
from tests.crowd.providers.pieces import EXTERNAL_STUDY, connected, submission
from tests.crowd.providers.test_results_file import as_csv, row
from tests.factories import OPERATOR, MemberFactory
from tests.servers.prolific import ProlificServer

pytestmark = [pytest.mark.django_db, pytest.mark.pages]

OWN_NAMES = {"Prolific", "Study", "URL", "secure", "parameters", "submission", "status", "change", "API", "CSV", "UTC"}
"""What has no Japanese: names, and what Prolific's pages say in English."""


@pytest.fixture
def server(settings: Any) -> Iterator[ProlificServer]:
    with ProlificServer() as server:
        settings.PROLIFIC_API_URL = server.url
        yield server


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    study = paying_study(
        bonus_percent=20,
        returned_percent=50,
        approval="after_hours",
        approval_hours=24,
        hourly_floor=90_000,
        budget=100_000,
        second_above=50_000,
    )
    Article.objects.update(title="日本語の題")
    return study


@pytest.fixture
def admin(study: Study) -> Member:
    return MemberFactory(study=study, role=Role.ADMIN, pseudonym="責任者")


@pytest.fixture
def annotator(study: Study) -> Member:
    return MemberFactory(study=study, pseudonym="甲")


@pytest.fixture
def client(admin: Member) -> Client:
    return signed_in(admin, "ja")


def page_of(client: Client, name: str, *args: object, status: int = 200, **query: str) -> str:
    page = client.get(reverse(name, args=args), query)
    assert page.status_code == status
    return page.content.decode()


def left(page: str, *more: str) -> set[str]:
    """The English words of what a page has below its head, but for codes, what was typed, and names."""
    assert '<html lang="ja">' in page
    content = page.split("</header>")[-1].split("</main>")[0]
    content = re.sub(r"<(code|textarea).*?</\1>|<option value=\"[A-Z]{3}\".*?</option>", "", content, flags=re.DOTALL)
    read_aloud = " ".join(re.findall(r'(?:aria-label|placeholder|title)="(.*?)"', content))
    return english_words(content + read_aloud) - OWN_NAMES - set(more)


def told(page: Any) -> str:
    return " ".join(strip_tags(page.content.decode()).split())


def paid_by(study: Study, annotator: Member, admin: Member) -> PaymentRun:
    """A payment of somebody who finished a task."""
    credit_assignment(assignment=do(annotator), annotator=annotator, actor=OPERATOR)
    run = collect_payment(study=study, actor=by(admin))
    approve_payment(run=run, actor=by(admin))
    return run


def test_the_pages_of_pay(study: Study, annotator: Member, admin: Member, client: Client) -> None:
    run = paid_by(study, annotator, admin)
    do(annotator)
    slug = study.slug
    for name, *args in (("crowd_pay", slug), ("pay_member", slug, annotator.pk), ("payment", slug, run.number)):
        assert left(page_of(client, name, *args), "USD", "amount") == set()
    page = page_of(client, "crowd_pay", slug)
    assert '<h2 id="terms">支払う額</h2>' in page
    assert "提出から一定の時間後：" in page
    assert "提出済みのタスク1件の報酬がまだ記録されていません。" in page
    assert ">バッチごとのボーナス（%）</label>" in page
    assert "時給の下限$900.00を下回っています。" in page


def test_what_is_done_about_pay(study: Study, annotator: Member, client: Client) -> None:
    pay = reverse("crowd_pay", args=[study.slug])
    do(annotator)
    wrong = client.post(pay, {"step": "terms", "currency": "USD", "reward": "two"})
    assert wrong.status_code == 422
    assert "「two」は金額ではありません。2.50のような数で書いてください。" in told(wrong)
    assert "タスク1件を承認し、報酬を記録しました。" in told(client.post(pay, {"step": "approve"}, follow=True))
    made = client.post(pay, {"step": "collect"}, follow=True)
    assert "支払い1を作成しました。管理者の承認を待っています。" in told(made)
    address = reverse("payment", args=[study.slug, 1])
    client.post(address, {"step": "approve"})
    line = PaymentRun.objects.get().lines.get()
    text = f"{','.join(COLUMNS)}\n{line.pk},甲,1.50,USD\n"
    sent = {"step": "record", "file": SimpleUploadedFile("paid.csv", text.encode())}
    recorded = client.post(address, sent, follow=True)
    assert "記録しました：支払い済み0件, 金額が異なるもの1件（下で確定してください）。" in told(recorded)
    assert left(recorded.content.decode(), "USD", "amount") == set()


def test_files_of_pay_are_in_english_for_everybody(study: Study, annotator: Member, admin: Member) -> None:
    run = paid_by(study, annotator, admin)
    file = (
        signed_in(admin, "ja").get(reverse("payment_file", args=[study.slug, run.number])).content.decode("utf-8-sig")
    )
    assert file.splitlines()[0] == "line,payee,amount,currency"
    own = {language: signed_in(annotator, language).get(reverse("earnings_file")).content for language in ("en", "ja")}
    assert own["ja"] == own["en"]
    assert own["ja"].decode("utf-8-sig").startswith("Date,Study,Kind,For,Amount,Currency\r\n")
    assert ",Reward," in own["ja"].decode()
    assert "わたしの報酬" in signed_in(annotator, "ja").get(reverse("earnings")).content.decode()


@pytest.fixture
def prolific(study: Study, server: ProlificServer) -> ProlificStudy:
    """With a submission for each kind of order, of which one is unclear."""
    prolific = connected(study, checks_signature=True)
    for number in (1, 2, 3):
        one = submission(prolific, number)
        server.add(one.external_id, EXTERNAL_STUDY, one.member.pseudonym)
        Member.objects.filter(pk=one.member.pk).update(pseudonym=f"参加者{number}")
    first, second, third = prolific.submissions.order_by("pk")
    reject(
        submission=first,
        category="FAILED_CHECK",
        message="確認項目の答えが三つとも違っていました。" * 6,
        actor=OPERATOR,
    )
    offer = Offer(name="鳥", description="鳥についての回答を判定します。", places=6, reward=450, minutes=20)
    make_offer(connection=prolific, offer=offer, arriving="https://example.org/arrive", actor=OPERATOR)
    calls.make_calls()
    (unclear,) = pay_bonuses(connection=prolific, lines=[(second, 150)], actor=OPERATOR)
    now = timezone.now()
    ProviderCall.objects.filter(pk=unclear.pk).update(state="unclear", sent_at=now, paying_at=now, setup_id="setup1")
    (refused,) = pay_bonuses(connection=prolific, lines=[(third, 250)], actor=OPERATOR)
    ProviderCall.objects.filter(pk=refused.pk).update(state="refused")
    return prolific


def test_the_pages_of_prolific(study: Study, prolific: ProlificStudy, client: Client) -> None:
    slug, one = study.slug, prolific.submissions.order_by("pk")[1]
    page = page_of(client, "prolific", slug)
    assert left(page) == set()
    assert "これらの指示をProlificが実行したかどうかは分かりません。" in page
    assert ">不明</span>" in page
    assert ">下書き" in page.replace("\n", "")
    assert left(page_of(client, "prolific_submission", slug, one.pk)) == set()
    assert left(page_of(client, "new_prolific_study", slug)) == set()
    assert left(page_of(client, "sources", slug)) == set()
    assert "確定が必要な指示1件。" in page_of(client, "sources", slug)
    wrong = client.post(reverse("prolific_submission", args=[slug, one.pk]), {"do": "reject", "category": "OTHER"})
    assert wrong.status_code == 422
    assert "この項目は必須です。" in told(wrong)
    asked = client.post(reverse("prolific_submission", args=[slug, one.pk]), {"do": "approve"}, follow=True)
    assert "承認をProlificに指示しました。" in told(asked)
    (kept,) = ProviderCall.objects.filter(kind="reject")
    assert kept.body["rejection_category"] == "FAILED_CHECK", "a code, whoever reads it"


def test_a_payment_that_prolific_pays(study: Study, prolific: ProlificStudy, admin: Member, client: Client) -> None:
    for one in prolific.submissions.all():
        correct(member=one.member, amount=100, reason="試験", actor=OPERATOR)
    run = collect_payment(study=study, actor=by(admin))
    approve_payment(run=run, actor=by(admin))
    client.get(reverse("payment_file", args=[study.slug, run.number]))
    page = page_of(client, "payment", study.slug, run.number)
    assert left(page, "USD", "amount") == set()
    assert "この支払いの3人はProlificから参加しました。" in page
    assert "このうち3人が載っています。" in page


def test_a_file_of_results(client: Client, admin: Member) -> None:
    assert left(page_of(client, "read_results_file"), "WorkerId", "AssignmentId", "Input", "Answer") == set()
    content = as_csv(row(1), row(2, "AWORKER2", AssignmentStatus="Rejected", SubmitTime=""))
    sent = {"file": SimpleUploadedFile("batch.csv", content)}
    read = client.post(reverse("read_results_file"), sent, follow=True)
    assert "ワーカー2人、タスク1件、割り当て2件：承認1件、不承認1件、提出済み0件。" in told(read)
    assert "使われない列：Title, Reward。" in told(read)
    assert left(read.content.decode(), "Title", "Reward", "batch", "csv") == set()
    wrong = client.post(reverse("read_results_file"), {"file": SimpleUploadedFile("batch.csv", b"HITId\n1\n")})
    assert wrong.status_code == 422
    assert "ファイルにAssignmentId, WorkerId, AssignmentStatusがありません。" in told(wrong)
    work = page_of(client, "imported_work", Member.objects.get(pk=admin.pk).study.slug)
    assert "この研究は結果ファイルから作られたものではありません。" in work
    assert left(work) == set()


def test_the_pages_of_review(study: Study, annotator: Member, admin: Member, client: Client) -> None:
    agree(study, approval="by_hand")
    places = [do(annotator), do(annotator)]
    slug = study.slug
    waiting = page_of(client, "reviews", slug)
    assert left(waiting) == set()
    assert "2件すべて承認する…" in waiting
    many = client.post(reverse("approve_many", args=[slug]))
    assert "審査を待っている1人のタスク2件を、まだ読んでいないものも含めて承認します。" in told(many)
    assert left(many.content.decode()) == set()
    address = reverse("decide_review", args=[slug, places[0].pk, annotator.pk])
    wrong = client.post(address, {"decision": "reject", "because": ""})
    assert wrong.status_code == 422
    assert not re.search(r"[a-z]{3}", strip_tags(re.findall(r'role="alert">(.*?)</div>', wrong.content.decode())[0]))
    done = client.post(address, {"decision": "reject", "because": "写しただけです。"}, follow=True)
    assert "作業を不承認にしました。" in told(done)
    reviewing.appeal(review=annotator.reviews.get(), words="見直してください。", actor=OPERATOR)
    appealed = page_of(client, "review", slug, places[0].pk, annotator.pk)
    assert "異議への返答" in appealed
    for state in ("waiting", "approved", "rejected", "appealed", "settled"):
        assert left(page_of(client, "reviews", slug, state=state)) == set()


def test_the_pages_of_talk(study: Study, annotator: Member, admin: Member, client: Client) -> None:
    slug, place = study.slug, do(annotator)
    send_message(assignment=place, author=annotator, text="質問があります。", actor=OPERATOR)
    send_message_about_study(annotator=annotator, author=annotator, text="いつですか。", actor=OPERATOR)
    for text in ("一つ目です。", "二つ目です。"):
        last = announce(author=admin, text=text, audience=Audience.ALL, by_mail=True, actor=OPERATOR)
    end_announcement(announcement=last, actor=OPERATOR)
    texts = {name: "日本語" if name.endswith("_ja") else "In English" for name in TEXTS}
    entry = add_entry(study=study, actor=OPERATOR, **texts)
    inbox = page_of(client, "crowd_messages", slug)
    assert f"バッチ{place.hit.batch.number}のタスク{place.hit.position}</a>（日本語の題）について" in inbox
    assert "要返信" in inbox
    assert left(inbox) == set()
    assert left(page_of(client, "crowd_messages", slug, only="unread", q="ない")) == set()
    assert left(page_of(client, "crowd_thread", slug, annotator.pk, 0)) == set()
    announcements = page_of(client, "crowd_announcements", slug)
    assert "アノテーター全員（後から参加する人も含む）" in announcements
    assert left(announcements) == set()
    wrong = client.post(reverse("crowd_announcements", args=[slug]), {"text": ""})
    assert "お知らせが空です。" in told(wrong)
    assert left(page_of(client, "crowd_faq", slug), "English") == set()
    assert ">質問（日本語）</label>" in page_of(client, "faq_entry", slug, entry.pk)
    half = client.post(reverse("new_faq_entry", args=[slug]), {"question_en": "When?"})
    assert "それぞれの言語で、質問と答えの両方を書くか、両方とも空にしてください。" in told(half)
    assert left(half.content.decode(), "When") == set()
