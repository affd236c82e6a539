"""Accounts in Django's admin site."""

from http import HTTPStatus
from typing import Any

from allauth.account.admin import EmailAddressAdmin as AllauthEmailAddressAdmin
from allauth.account.models import EmailAddress
from django import forms
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.db import transaction
from django.http import HttpRequest, HttpResponse

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.models import User
from annotation_platform.accounts.verbs import Verb

admin.site.site_header = admin.site.site_title = "Annotation platform"
admin.site.index_title = "Accounts, mail and model connections"
admin.site.unregister(EmailAddress)


@admin.register(User)
class UserAdmin(DjangoUserAdmin):  # type: ignore[type-arg]
    """Accounts are deleted by their owners, or by ``manage.py delete_account``, which keep what was judged."""

    ordering = ("email",)
    list_display = ("email", "is_active", "is_staff", "date_joined")
    search_fields = ("email",)
    fieldsets = (
        (None, {"fields": ("email", "password")}),
        ("Permissions", {"fields": ("is_active", "is_staff", "is_superuser", "groups", "user_permissions")}),
        ("Dates", {"fields": ("last_login", "date_joined")}),
    )
    add_fieldsets = ((None, {"classes": ("wide",), "fields": ("email", "password1", "password2")}),)

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        verb = Verb.ACCOUNT_CHANGED if change else Verb.ACCOUNT_CREATED
        fields = {field: (None, None) for field in form.changed_data if change}  # which, not what: one is the password
        record(Actor.of_request(request), verb, obj, change=fields)

    @transaction.atomic
    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> HttpResponse:
        response = super().user_change_password(request, id, form_url)
        if request.method == "POST" and response.status_code == HTTPStatus.FOUND:
            changed = {"password": (None, None)}
            record(Actor.of_request(request), Verb.ACCOUNT_CHANGED, User.objects.get(pk=id), change=changed)
        return response

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return False


class EmailAddressForm(forms.ModelForm):  # type: ignore[type-arg]
    """An address signs one account in, so no two accounts have it."""

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        user, email = data.get("user"), str(data.get("email", "")).lower()
        if user is None or not email:
            return data
        others_have_it = (
            User.objects.exclude(pk=user.pk).filter(email__iexact=email).exists()
            or EmailAddress.objects.exclude(user=user).filter(email__iexact=email).exists()
        )
        if others_have_it:
            self.add_error("email", "Another account has this address.")
        primary = EmailAddress.objects.filter(user=user, primary=True).exclude(pk=self.instance.pk).first()
        if data.get("primary") and primary is not None:
            self.add_error("primary", f"The account has a primary address already: {primary.email}.")
        return data


@admin.register(EmailAddress)
class EmailAddressAdmin(AllauthEmailAddressAdmin):  # type: ignore[misc]  # allauth is not typed
    form = EmailAddressForm
