"""Forms of model connections."""

from typing import Any

from django import forms

from annotation_platform.accounts.language import in_language
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.scoring.keys import check_key
from annotation_platform.scoring.models import ModelConnection
from annotation_platform.scoring.models.connections import validate_outer_address


class ConnectionForm(forms.ModelForm):  # type: ignore[type-arg]  # generic in the stubs only
    """A model connection. The key goes in and never comes out."""

    key = forms.CharField(
        required=False,
        max_length=500,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
        label="Key",
        help_text="Kept encrypted, never shown again. Better: name an environment variable below.",
    )
    forget_key = forms.BooleanField(required=False, label="Forget the stored key")

    class Meta:
        model = ModelConnection
        fields = [
            "name",
            "base_url",
            "model",
            "key",
            "forget_key",
            "key_variable",
            "price_in",
            "price_out",
            "requests_per_minute",
            "tokens_per_minute",
            "concurrency",
            "timeout",
            "structured",
            "is_active",
        ]
        labels = {
            "base_url": "Address",
            "key_variable": "Or the key's environment variable",
            "price_in": "Price of a million tokens in",
            "price_out": "Price of a million tokens out",
            "concurrency": "Requests at a time",
            "timeout": "Seconds for an answer",
            "structured": "Structured output (JSON schema)",
            "is_active": "New runs may use it",
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.study_id is not None:  # the environment's keys are the platform's
            del self.fields["key_variable"]
            self.fields["key"].help_text = "Kept encrypted, never shown again, and sent to this address only."
        if not self.instance.encrypted_key:
            del self.fields["forget_key"]
        for name, field in self.fields.items():
            described = [f"id_{name}_helptext"] if field.help_text else []
            if described:
                field.widget.attrs["aria-describedby"] = " ".join(described)

    def clean_key(self) -> str:
        key = str(self.cleaned_data["key"]).strip()
        try:
            check_key(key)
        except InvalidInputError as error:
            raise forms.ValidationError(in_language(error)) from None
        return key

    def clean_base_url(self) -> str:
        address = str(self.cleaned_data["base_url"])
        if self.instance.study_id is not None:
            validate_outer_address(address)
        return address
