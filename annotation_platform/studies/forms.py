"""The form of the page on which people join a study."""

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy


class JoinForm(forms.Form):
    """Who comes: a name, which is enough to begin, or an e-mail address, to which a link is sent."""

    who = forms.CharField(
        label=gettext_lazy("Your name or e-mail address"),
        max_length=150,
        error_messages={"required": gettext_lazy("Write a name, or your e-mail address.")},
        widget=forms.TextInput(attrs={"autocomplete": "email", "aria-describedby": "who-help"}),
    )

    def clean_who(self) -> str:
        who = str(self.cleaned_data["who"])
        if "@" in who:
            try:
                validate_email(who)
            except ValidationError:
                raise ValidationError(_("This is no e-mail address. Correct it, or write a name.")) from None
        return who

    @property
    def email(self) -> str:
        """The address that was given; empty for a name."""
        return self.cleaned_data["who"].lower() if "@" in self.cleaned_data["who"] else ""
