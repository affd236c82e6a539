"""E-mail and password through django-allauth: throttled, guarded against forgery, and never a way out to elsewhere."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.core import mail
from django.core.cache import cache
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation_platform.accounts.models import User
from tests.factories import PASSWORD, UserFactory

pytestmark = pytest.mark.django_db
ELSEWHERE = "https://elsewhere.example/steal"


@pytest.fixture(autouse=True)
def no_counts_of_other_tests() -> Iterator[None]:
    """Rate limits are counted in the cache."""
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def user() -> User:
    return UserFactory(email="ada@example.org")


def sign_in(client: Client, email: str, password: str, **more: str):
    return client.post(reverse("account_login"), {"login": email, "password": password, **more})


def is_signed_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


def test_email_and_password_sign_in_and_lead_to_the_start_page(client: Client, user: User) -> None:
    response = sign_in(client, user.email, PASSWORD)
    assert (response.status_code, response.url) == (302, reverse("home"))
    assert is_signed_in(client)


def test_an_account_made_on_the_server_signs_in_before_any_mail_goes_out(
    client: Client, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", PASSWORD)
    call_command("createsuperuser", email="Root@Example.org", interactive=False)
    response = sign_in(client, "root@example.org", PASSWORD)
    assert (response.status_code, response.url) == (302, reverse("home"))
    assert is_signed_in(client)
    assert mail.outbox == []


def test_capitals_in_the_address_do_not_matter(client: Client, user: User) -> None:
    sign_in(client, "Ada@Example.org", PASSWORD)
    assert is_signed_in(client)


@pytest.mark.parametrize(("email", "password"), [("ada@example.org", "wrong"), ("nobody@example.org", PASSWORD)])
def test_a_refusal_does_not_tell_whether_the_account_exists(
    client: Client, user: User, email: str, password: str
) -> None:
    response = sign_in(client, email, password)
    assert response.status_code == 200
    assert "The email address and/or password you specified are not correct" in response.content.decode()
    assert not is_signed_in(client)


def test_after_five_failures_even_the_right_password_is_refused_for_a_while(client: Client, user: User) -> None:
    for _ in range(5):
        sign_in(client, user.email, "wrong")
    response = sign_in(client, user.email, PASSWORD)
    assert "Too many failed login attempts" in response.content.decode()
    assert not is_signed_in(client)


def test_the_admin_site_has_no_sign_in_of_its_own_that_counts_no_failures(client: Client) -> None:
    root = User.objects.create_superuser("root@example.org", PASSWORD)
    response = client.post("/admin/login/", {"username": root.email, "password": PASSWORD})
    assert response.status_code == 302
    assert response.url.startswith(reverse("account_login"))
    assert not is_signed_in(client)


def test_failures_for_one_account_do_not_lock_out_another(client: Client, user: User) -> None:
    other = UserFactory()
    for _ in range(5):
        sign_in(client, user.email, "wrong")
    sign_in(client, other.email, PASSWORD)
    assert is_signed_in(client)


def test_failures_from_one_address_count_together(client: Client) -> None:
    for number in range(10):
        sign_in(client, f"guess{number}@example.org", "wrong")
    response = sign_in(client, UserFactory().email, PASSWORD)
    assert "Too many failed login attempts" in response.content.decode()


@pytest.mark.parametrize("name", ["account_login", "account_signup", "account_logout", "account_reset_password"])
def test_a_form_without_its_csrf_token_is_refused(user: User, name: str) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(user)
    response = client.post(reverse(name), {"login": user.email, "password": PASSWORD, "email": user.email})
    assert response.status_code == 403
    assert is_signed_in(client)


@pytest.mark.parametrize("target", [ELSEWHERE, "//elsewhere.example", "javascript:alert(1)", r"/\elsewhere.example"])
def test_signing_in_leads_to_our_own_pages_only(client: Client, user: User, target: str) -> None:
    assert sign_in(client, user.email, PASSWORD, next=target).url == reverse("home")


def test_signing_in_leads_on_to_the_page_that_asked_for_it(client: Client, user: User) -> None:
    assert sign_in(client, user.email, PASSWORD, next="/work/").url == "/work/"


def test_signing_out_and_signing_up_lead_to_our_own_pages_only(client: Client, user: User) -> None:
    client.force_login(user)
    assert client.post(reverse("account_logout"), {"next": ELSEWHERE}).url == "/"
    assert not is_signed_in(client)
    passwords = {"password1": PASSWORD, "password2": PASSWORD}
    response = client.post(reverse("account_signup"), {"email": "new@example.org", "next": ELSEWHERE, **passwords})
    assert response.url == reverse("home")


def test_only_a_post_signs_out(client: Client, user: User) -> None:
    client.force_login(user)
    assert client.get(reverse("account_logout")).status_code == 200
    assert is_signed_in(client)


@pytest.mark.parametrize(
    ("password", "why"),
    [("short", "too short"), ("password1234", "too common"), ("grace@example.org", "too similar")],
)
def test_a_weak_password_is_refused_with_the_reason(client: Client, password: str, why: str) -> None:
    fields = {"email": "grace@example.org", "password1": password, "password2": password}
    response = client.post(reverse("account_signup"), fields)
    assert why in response.content.decode()
    assert not User.objects.filter(email="grace@example.org").exists()


def test_somebody_who_signs_up_is_in_no_study(client: Client) -> None:
    passwords = {"password1": PASSWORD, "password2": PASSWORD}
    client.post(reverse("account_signup"), {"email": "new@example.org", **passwords})
    assert is_signed_in(client)
    assert "You are in no study yet" in client.get(reverse("home")).content.decode()


def test_a_forgotten_password_is_replaced_through_the_link_in_the_mail(client: Client, user: User) -> None:
    client.post(reverse("account_reset_password"), {"email": user.email})
    link = re.search(r"http://testserver(/accounts/password/reset/key/\S+)", str(mail.outbox[0].body))
    assert link
    form = client.get(link[1], follow=True).request["PATH_INFO"]
    client.post(form, {"password1": "another long password", "password2": "another long password"})
    user.refresh_from_db()
    assert user.check_password("another long password")


def test_asking_for_a_new_password_does_not_tell_whether_the_account_exists(client: Client, user: User) -> None:
    answers = [client.post(reverse("account_reset_password"), {"email": e}) for e in (user.email, "no@example.org")]
    assert answers[0].status_code == answers[1].status_code == 302
    assert answers[0].url == answers[1].url
