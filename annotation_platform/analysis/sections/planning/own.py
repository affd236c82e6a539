"""A design like a study's own, with its pay and the time of its tasks: what its plan starts with."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.db.models import Count

from annotation_platform.analysis.models import AgreementSnapshot
from annotation_platform.analysis.sections.planning import tables
from annotation_platform.analysis.sections.planning.figures import PILOT
from annotation_platform.analysis.sections.planning.forms import NONE, DesignForm
from annotation_platform.analysis.sections.planning.pay import StudyPay, pay_of
from annotation_platform.analysis.tables import registry
from annotation_platform.corpus.models import ABOUT_NONE
from annotation_platform.studies.models import Study
from annotation_platform.studies.selectors import TaskTime, task_time

WORK = ("minutes", "pay", "paid_by", "currency", "bonus")


@dataclass(frozen=True)
class OwnWork:
    """What a study pays, None where nobody has said it, and how long its tasks take: read once for a page."""

    pay: StudyPay | None
    time: TaskTime

    @classmethod
    def of(cls, study: Study) -> "OwnWork":
        return cls(pay_of(study), task_time(study))

    @property
    def is_priced(self) -> bool:
        """Whether it is known what a task pays: pay by the hour does not say it without the minutes of a task."""
        return self.pay is not None and (self.pay.by == "task" or self.time.minutes is not None)


def own_design(study: Study, work: OwnWork | None = None) -> dict[str, str]:
    """What the address of the study's plan would say; what nobody has said is not in it.

    Each question about no document counts as an article with one question, as in the pilot.
    """
    articles, about_none = (
        rows.aggregate(n=Count("pk", distinct=True), questions=Count("questions", distinct=True))
        for rows in (study.corpus.articles.exclude(ABOUT_NONE), study.corpus.articles.filter(ABOUT_NONE))
    )
    work = work or OwnWork.of(study)
    pay, units = work.pay, articles["n"] + about_none["questions"]
    found: dict[str, Any] = {
        "about": NONE if about_none["questions"] and not articles["questions"] else None,
        "articles": max(units, 2),
        "questions": max(1, round((articles["questions"] + about_none["questions"]) / max(units, 1))),
        "annotators": study.overlap,
        "per_task": study.questions_per_hit,
        "minutes": work.time.minutes,
    }
    if pay is not None:
        found |= {"paid_by": pay.by, "bonus": pay.bonus_percent or None, "currency": pay.currency or None}
        found["pay"] = f"{pay.amount:.10g}" if work.is_priced else None
    return {name: str(value) for name, value in found.items() if value is not None}


@dataclass(frozen=True)
class Becomes:
    """What of a design becomes the study's, where it is another one than the study has; ``hourly`` is the least pay for
    an hour, where pay goes by it; ``work`` is what of the plan's address says minutes and pay."""

    overlap: int
    has_other_overlap: bool
    minutes: int | None
    reward: str
    bonus: str
    hourly: str
    work: dict[str, str]

    @property
    def query(self) -> str:
        """As it goes on in an address."""
        return "".join(f"&{urlencode({name: value})}" for name, value in self.work.items())

    @property
    def is_something(self) -> bool:
        return bool(self.has_other_overlap or self.minutes or self.reward)


def becomes(study: Study, form: DesignForm, pay: StudyPay | None) -> Becomes:
    """Of a valid form; ``pay`` is what the study pays already only where it was agreed."""
    price, overlap = tables.price_of(form), form.design.annotators
    minutes = price.told_minutes
    has_pay = price.reward is not None and (
        pay is None
        or pay.version is None
        or price.by == "hour"
        or (pay.amount, pay.currency, pay.bonus_percent) != (price.reward, price.currency, price.bonus)
    )
    return Becomes(
        overlap=overlap,
        has_other_overlap=overlap != study.overlap,
        minutes=minutes if minutes != study.task_minutes else None,
        reward=price.in_words(price.reward) if has_pay else "",
        bonus=f"{price.bonus:g}" if has_pay and price.bonus else "",
        hourly=price.in_words(price.pay) if has_pay and price.by == "hour" else "",
        work={name: str(form[name].value()) for name in WORK if form[name].value() not in (None, "")},
    )


def own_plans(snapshot: AgreementSnapshot) -> dict[str, Any]:
    """The plan of the study's own design by aspect, as plain data, with what it costs by what the study pays today.

    None where an aspect is no pilot, or the design cannot be planned.
    """
    study = snapshot.study
    work = OwnWork.of(study)
    start, pay = own_design(study, work), work.pay

    def plan(aspect: str) -> dict[str, Any] | None:
        asked = registry.ask(snapshot, aspect, ["plan"], start)
        form = tables.form_of(asked) if asked.has(PILOT) else None
        made = form and tables.plan_of(asked, form)
        if not form or not made:
            return None
        return {
            "design": {name: value for name, value in form.cleaned_data.items() if value not in (None, "")},
            "pay_agreed_in_version": pay.version if pay else None,
            "designs": [tables.as_data(row) for row in made.grid],
        }

    return {each.aspect: plan(each.aspect) for each in snapshot.head.aspects}
