"""Accounts are made and changed on Django's admin site, by e-mail address."""

import pytest
from allauth.account.models import EmailAddress
from django.core.management import CommandError, call_command
from django.test import Client

from annotation_platform.accounts.models import User

pytestmark = pytest.mark.django_db


def test_a_superuser_makes_and_changes_accounts(client: Client) -> None:
    root = User.objects.create_superuser("root@example.org", "a long and quiet password")
    client.force_login(root)
    for address in ("/admin/", "/admin/accounts/user/", f"/admin/accounts/user/{root.pk}/change/"):
        assert client.get(address).status_code == 200
    form = {"email": "new@example.org", "password1": "another quiet one", "password2": "another quiet one"}
    assert client.post("/admin/accounts/user/add/", form | {"usable_password": "true"}).status_code == 302
    assert User.objects.get(email="new@example.org").check_password("another quiet one")


def test_nobody_else_gets_in(client: Client) -> None:
    client.force_login(User.objects.create_user("person@example.org"))
    assert client.get("/admin/accounts/user/").status_code == 302


PASSWORDS = {"password1": "another quiet one", "password2": "another quiet one", "usable_password": "true"}


def test_an_account_made_with_capital_letters_signs_in(admin_client: Client, client: Client) -> None:
    form = {"email": "Grace@Example.org"} | PASSWORDS
    assert admin_client.post("/admin/accounts/user/add/", form).status_code == 302
    assert User.objects.filter(email="grace@example.org").exists()
    answer = client.post("/accounts/login/", {"login": "GRACE@example.org", "password": "another quiet one"})
    assert answer.status_code == 302
    assert client.session["_auth_user_id"]


def test_one_address_is_one_account_however_it_is_written(admin_client: Client) -> None:
    ada = User.objects.create_user("ada@example.org")
    other = User.objects.create_user("other@example.org")
    answer = admin_client.post("/admin/accounts/user/add/", {"email": "ADA@example.org"} | PASSWORDS)
    assert "already exists" in answer.content.decode()
    page = f"/admin/accounts/user/{other.pk}/change/"
    form = {"email": "ADA@example.org", "date_joined_0": "2026-01-01", "date_joined_1": "00:00:00"}
    assert "already exists" in admin_client.post(page, form).content.decode()
    assert list(User.objects.filter(email__iexact="ada@example.org")) == [ada]


@pytest.mark.parametrize("typed", ["ada@example.org", "ADA@example.org", "Ada@Example.org"])
def test_a_superuser_of_a_taken_address_is_refused_in_words(typed: str) -> None:
    User.objects.create_user("ada@example.org")
    with pytest.raises(CommandError, match="already taken"):
        call_command("createsuperuser", "--noinput", email=typed)


def test_an_address_of_somebody_else_is_refused(admin_client: Client) -> None:
    ada = User.objects.create_user("ada@example.org")
    other = User.objects.create_user("other@example.org")
    EmailAddress.objects.create(user=ada, email="second@example.org", primary=True, verified=True)
    for taken in ("ADA@example.org", "second@example.org"):
        form = {"user": other.pk, "email": taken, "verified": "on"}
        answer = admin_client.post("/admin/account/emailaddress/add/", form)
        assert "Another account has this address." in answer.content.decode()
    form = {"user": ada.pk, "email": "third@example.org", "primary": "on"}
    answer = admin_client.post("/admin/account/emailaddress/add/", form)
    assert "The account has a primary address already: second@example.org." in answer.content.decode()
    form = {"user": ada.pk, "email": "third@example.org", "verified": "on"}
    assert admin_client.post("/admin/account/emailaddress/add/", form).status_code == 302


def test_the_site_is_called_by_the_platforms_name(admin_client: Client) -> None:
    page = admin_client.get("/admin/").content.decode()
    assert "Annotation platform" in page
    assert "Django" not in page
