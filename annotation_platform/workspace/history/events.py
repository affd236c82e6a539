"""A study's events as lines to read: sentences, and what was changed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q
from django.utils.dateparse import parse_datetime
from django.utils.html import format_html
from django.utils.text import Truncator
from django.utils.translation import gettext as _

from annotation_platform.accounts.actors import ActorKind
from annotation_platform.accounts.models import Event
from annotation_platform.accounts.templatetags.moments import moment
from annotation_platform.accounts.verbs import Verb
from annotation_platform.analysis.explorer.keyset import KeysetPage, Order, keyset_page
from annotation_platform.crowd.pacing.models import Bound
from annotation_platform.crowd.pay.models import Approval
from annotation_platform.studies.models import AssignmentPolicy, Batch, Member, Role, Study
from annotation_platform.workspace.history import wording
from annotation_platform.workspace.history.fields import CODES, FIELDS, VALUES
from annotation_platform.workspace.templatetags.batches import closing

SIZE = 50
LONGEST = 120  # characters of a value
CHOICES = {"approval": Approval, "assignment_policy": AssignmentPolicy, "bound": Bound, "role": Role}
NEWEST_FIRST = Order("id", descending=True)


@dataclass(frozen=True)
class Changed:
    """A field before and after; ``before`` is None where there was nothing."""

    field: str
    before: str | None
    after: str


@dataclass(frozen=True)
class HistoryLine:
    at: datetime
    sentence: str
    changes: Sequence[Changed]


def history_of(
    study: Study, *, topic: str = "", after: str = "", before: str = ""
) -> tuple[list[HistoryLine], KeysetPage]:
    """A page of what was done in a study, the newest first; of one topic, where it is one."""
    rows = Event.objects.filter(study=study.pk)
    if topic in wording.TOPICS:
        rows = rows.filter(topic=topic)
    page = keyset_page(rows, NEWEST_FIRST, after=after, before=before, size=SIZE)
    events = list(Event.objects.filter(pk__in=page.keys).order_by("-pk"))
    names, subjects = _names(study, events), _subjects(study, events)
    return [_line(event, names, subjects) for event in events], page


def _line(event: Event, names: Mapping[int, str], subjects: Mapping[tuple[str, int], str]) -> HistoryLine:
    subject = subjects.get((event.subject_type, event.subject_id), str(event.subject_id))
    sentence = format_html(_(wording.SENTENCES[Verb(event.verb)]), who=_who(event, names), subject=subject)
    who = names.get(event.user_id or 0)
    told = {field: values for field, values in event.change.items() if (field, values[-1]) != ("annotator", who)}
    return HistoryLine(event.at, sentence, list(_changes(told)))


def _who(event: Event, names: Mapping[int, str]) -> str:
    """The pseudonym of a person; what the platform's own command or job is called."""
    name = event.name or names.get(event.user_id or 0, "")
    if event.actor_kind == ActorKind.OPERATOR:
        return format_html(_(wording.OPERATOR), via=_code(event.via))
    if event.actor_kind == ActorKind.WORKER:
        return format_html(_(wording.WORKER_FOR if name else wording.WORKER), via=_code(event.via), name=name)
    return name or _(wording.SOMEBODY)


def _names(study: Study, events: Iterable[Event]) -> dict[int, str]:
    """User → how the study knows them, or the one that it is a round for, also when they were removed."""
    users = {event.user_id for event in events if event.user_id}
    of_study = Member.objects.filter(study__in=[study.pk, study.qualifies_for_id or study.pk])
    members = of_study.filter(Q(user__in=users) | Q(former_user__in=users))
    return {
        user: pseudonym
        for known_as, former, pseudonym in members.values_list("user_id", "former_user_id", "pseudonym")
        for user in (known_as, former)
        if user
    }


def _subjects(study: Study, events: Iterable[Event]) -> dict[tuple[str, int], str]:
    """The names of members and the numbers of batches and releases; everything else goes by its key."""
    keys: dict[str, set[int]] = {"studies.member": set(), "studies.batch": set(), "releases.release": set()}
    for event in events:
        keys.get(event.subject_type, set()).add(event.subject_id)
    members = Member.objects.filter(study=study, pk__in=keys["studies.member"]).values_list("pk", "pseudonym")
    batches = Batch.objects.filter(study=study, pk__in=keys["studies.batch"]).values_list("pk", "number")
    releases = study.releases.filter(pk__in=keys["releases.release"]).values_list("pk", "number")
    return (
        {("studies.member", pk): name for pk, name in members}
        | {("studies.batch", pk): str(number) for pk, number in batches}
        | {("releases.release", pk): str(number) for pk, number in releases}
    )


def _changes(change: Mapping[str, Sequence[Any]]) -> Iterable[Changed]:
    for field, (before, after) in change.items():
        if before != after or before is not None:
            label = _(FIELDS[field]) if field in FIELDS else field
            is_same = before == after
            yield Changed(
                label, None if before in (None, "") or is_same else _value(field, before), _value(field, after)
            )


def _code(text: str) -> str:
    """What is English in every language: names of commands, jobs and choices."""
    return format_html('<span lang="en">{}</span>', text)


def _value(field: str, value: Any) -> str:
    match value:
        case None | "":
            return "–"
        case bool():
            return _("yes") if value else _("no")
        case str() if field in CHOICES and value in CHOICES[field].values:
            return str(CHOICES[field](value).label)
        case str() if value in VALUES.get(field, {}):
            return _(VALUES[field][value])
        case str() if field == "closed_because":
            return closing(value)
        case str() if field in CODES:
            return _code(value)
        case str() if "T" in value and (at := _moment(value)):
            return moment(at)
        case str():
            return Truncator(" ".join(value.split())).chars(LONGEST)
        case dict() | list():
            return _code(str(value))
        case _:
            return str(value)


def _moment(text: str) -> datetime | None:
    try:
        return parse_datetime(text)
    except ValueError:
        return None
