"""The pages of webhooks in Japanese; what is sent and stored is the same for every reader."""

import json
import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.html import strip_tags

from annotation_platform.core.reasons import Reason
from annotation_platform.studies.models import Member, Role
from annotation_platform.webhooks import services
from annotation_platform.webhooks.models import Delivery, Endpoint
from tests.annotations.test_languages import english_words
from tests.factories import OPERATOR, MemberFactory, make_study

pytestmark = [pytest.mark.django_db, pytest.mark.pages]
NAMES = {"API", "JSON", "POST", "Standard", "Webhooks", "Webhook", "https", "example", "org", "hooks", "study", "UTC"}


@pytest.fixture
def researcher(settings: Any) -> Member:
    settings.WEBHOOK_PRIVATE_ADDRESSES = True
    return MemberFactory(study=make_study(name="Owls"), role=Role.RESEARCHER)


@pytest.fixture
def browser(researcher: Member) -> Client:
    browser = Client(headers={"accept-language": "ja"})
    browser.force_login(researcher.user)
    return browser


@pytest.fixture
def endpoint(researcher: Member) -> Endpoint:
    added, _secret = services.add_webhook(
        study=researcher.study, address="http://127.0.0.1:9/", kinds=["batch.closed"], note="手元", actor=OPERATOR
    )
    return added


def left(page: str) -> set[str]:
    """The English words below the page's head, but for names, and the kinds of messages as programs read them."""
    content = page.split("</header>")[-1].split("</main>")[0]
    content = re.sub(r"<code.*?</code>|webhook\.test", "", content, flags=re.DOTALL)
    return english_words(content + " ".join(re.findall(r'aria-label="(.*?)"', content))) - NAMES


def told(page: Any) -> str:
    return " ".join(strip_tags(page.content.decode()).split())


def test_the_list_and_its_form(browser: Client, researcher: Member, endpoint: Endpoint) -> None:
    address = reverse("study_webhooks", args=[researcher.study.slug])
    page = browser.get(address).content.decode()
    assert left(page) == set()
    assert ">自分たち用のメモ</label>" in page
    assert "バッチが締め切られた" in page
    wrong = browser.post(address, {"address": "ftp://example.org", "kinds": ["batch.closed"]})
    assert wrong.status_code == 422
    assert "メッセージの送り先になるウェブアドレスではありません" in told(wrong)
    assert left(wrong.content.decode()) == set()


def test_one_of_them_and_its_log(browser: Client, researcher: Member, endpoint: Endpoint) -> None:
    address = reverse("study_webhook", args=[researcher.study.slug, endpoint.pk])
    sent = browser.post(address, {"step": "test"}, follow=True)
    assert "テストのメッセージを送信中です。" in told(sent)
    delivery = Delivery.objects.get()
    assert (delivery.state, json.loads(delivery.body)["type"]) == ("waiting", "webhook.test")
    Delivery.objects.update(state="given up", attempts=9, status=500, error=Reason("webhooks.status", status=500))
    now = timezone.now()
    Endpoint.objects.update(failures=9, failing_since=now, rests_until=now + timedelta(hours=1))
    page = browser.get(address).content.decode()
    assert left(page) == set()
    assert '続けて<span class="num">9</span>回失敗しました' in page
    assert "応答のステータスは500でした。" in page
    assert re.search(r"badge bad\">断念</span>", page)
    services.switch_off(endpoint=endpoint, actor=OPERATOR)
    off = browser.post(f"{address}messages/{delivery.pk}/", follow=True)
    assert "このWebhookは停止しています。先に再開してください。" in told(off)
    assert left(off.content.decode()) == set()
    rotated = browser.post(address, {"step": "rotate"})
    assert "表示されるのは今回だけなので、今コピーしてください。" in told(rotated)
    assert left(rotated.content.decode()) == set()
