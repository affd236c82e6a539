"""What is done on the sign-up page and in Django's admin site leaves events, too; none says a password."""

from decimal import Decimal

import pytest
from django.test import Client
from django.urls import reverse

from annotation_platform.accounts.models import Event, User
from annotation_platform.scoring.models import ModelConnection, ScoringSettings
from tests.factories import PASSWORD, UserFactory, make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def operator(client: Client) -> User:
    user = User.objects.create_superuser(email="root@example.org", password=PASSWORD)
    client.force_login(user)
    return user


def events() -> list[tuple[str, int | None, int | None, list[str]]]:
    return [(each.verb, each.user_id, each.subject_id, sorted(each.change)) for each in Event.objects.order_by("pk")]


def test_who_signs_up_gets_an_account_by_themselves(client: Client) -> None:
    passwords = {"password1": PASSWORD, "password2": PASSWORD}
    client.post(reverse("account_signup"), {"email": "new@example.org", **passwords})
    user = User.objects.get(email="new@example.org")
    assert events() == [("account.created", user.pk, user.pk, [])]
    assert Event.objects.get().address == "127.0.0.1"


def test_accounts_made_and_changed_in_the_admin_site(client: Client, operator: User) -> None:
    add = {"email": "other@example.org", "password1": PASSWORD, "password2": PASSWORD, "usable_password": "true"}
    assert client.post(reverse("admin:accounts_user_add"), add).status_code == 302
    other = User.objects.get(email="other@example.org")
    dates = {"date_joined_0": "2026-01-01", "date_joined_1": "10:00:00"}
    change = reverse("admin:accounts_user_change", args=[other.pk])
    assert client.post(change, {"email": "renamed@example.org", "is_active": "on", **dates}).status_code == 302
    new = {"password1": "another quiet password", "password2": "another quiet password", "usable_password": "true"}
    address = reverse("admin:auth_user_password_change", args=[other.pk])
    assert client.post(address, {**new, "set-password": ""}).status_code == 302
    verbs = [(verb, who, about) for verb, who, about, _ in events()]
    assert verbs == [
        ("account.created", operator.pk, other.pk),
        ("account.changed", operator.pk, other.pk),
        ("account.changed", operator.pk, other.pk),
    ]
    assert events()[2][3] == ["password"]
    assert "quiet" not in str(list(Event.objects.values_list("change", flat=True)))


def test_a_budget_given_in_the_admin_site_stands_in_the_studys_history(client: Client, operator: User) -> None:
    study = make_study()
    address = reverse("admin:studies_study_change", args=[study.pk])
    assert client.post(address, {"budget": "12.50"}).status_code == 302
    assert ScoringSettings.objects.get().budget == Decimal("12.50")
    assert events() == [("study.changed", operator.pk, study.pk, ["scoring_budget"])]
    assert Event.objects.get().study == study.pk


def test_a_connection_deleted_in_the_admin_site(client: Client, operator: User) -> None:
    found = ModelConnection.objects.create(name="Ours", base_url="https://example.org/v1", model="tiny")
    pk = found.pk
    address = reverse("admin:scoring_modelconnection_delete", args=[pk])
    assert client.post(address, {"post": "yes"}).status_code == 302
    more = ModelConnection.objects.create(name="Theirs", base_url="https://example.org/v1", model="tiny")
    several = {"action": "delete_selected", "_selected_action": [more.pk], "post": "yes"}
    assert client.post(reverse("admin:scoring_modelconnection_changelist"), several).status_code == 302
    assert not ModelConnection.objects.exists()
    deleted = [(verb, about) for verb, _, about, _ in events()]
    assert deleted == [("connection.deleted", pk), ("connection.deleted", more.pk)]


def test_who_may_not_sign_up_leaves_nothing(client: Client) -> None:
    UserFactory(email="known@example.org")
    client.post(reverse("account_signup"), {"email": "not an address", "password1": "x", "password2": "y"})
    assert events() == []
