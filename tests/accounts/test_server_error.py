"""What a reader sees when the server itself failed."""

from django.test import RequestFactory
from django.urls import reverse
from django.views.defaults import server_error


def test_a_failed_page_says_what_happened_and_leads_back() -> None:
    response = server_error(RequestFactory().get("/"))
    page = response.content.decode()
    assert response.status_code == 500
    assert "Nothing that was submitted before is lost" in page
    assert "これまでに送信した内容は失われていません" in page
    assert f'href="{reverse("home")}"' in page
    assert "platform" in page
    assert ".css" in page
