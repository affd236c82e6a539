"""What of a plan becomes a study's: how many judge an answer, how long a task takes, and what it pays."""

from collections.abc import Mapping
from math import ceil
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation_platform.analysis.sections.planning.forms import PAID_BY, DesignForm
from annotation_platform.analysis.sections.planning.pay import PaidBy
from annotation_platform.crowd.pay.planned import PlannedPay, planned_pay
from annotation_platform.studies.services.making import MOST_OVERLAP


class PlannedWork(forms.Form):
    """Minutes and pay of a task, as the plan's address has them; what is empty becomes nothing."""

    minutes, pay, currency, bonus = (DesignForm.base_fields[name] for name in ("minutes", "pay", "currency", "bonus"))
    field_order = ("minutes", "pay", "paid_by", "currency", "bonus")
    paid_by = forms.ChoiceField(label=_("Paid for"), choices=PAID_BY, required=False)

    def __init__(self, sent: Mapping[str, Any]) -> None:
        super().__init__(sent, label_suffix="", auto_id="planned_%s")
        for field in self.fields.values():
            field.help_text = ""  # what is empty shows less in a plan, and becomes nothing here

    @property
    def says_something(self) -> bool:
        """Whether there is a plan at all."""
        return any(self.data.get(name) for name in ("minutes", "pay"))

    @property
    def task_minutes(self) -> int | None:
        """Whole ones, for these are told to whoever is invited."""
        minutes = self.cleaned_data["minutes"]
        return ceil(minutes) if minutes else None

    @property
    def terms(self) -> PlannedPay | None:
        """
        Raises
        ------
        InvalidInputError
            When it is no pay that a study can have.
        """
        of = self.cleaned_data
        if of["pay"] is None:
            return None
        by: PaidBy = "hour" if of["paid_by"] == "hour" else "task"
        return planned_pay(
            of["pay"], by=by, currency=of["currency"].strip(), minutes=self.task_minutes, bonus_percent=of["bonus"] or 0
        )


class UsedDesign(PlannedWork):
    """The same with the overlap, empty where the study's stays; ``takes_pay`` says whether pay becomes its, too."""

    overlap = forms.IntegerField(min_value=1, max_value=MOST_OVERLAP, required=False)
    takes_pay = forms.BooleanField(required=False)
