"""Accounts are made and changed on Django's admin site, by e-mail address."""

import pytest
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
