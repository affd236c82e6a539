"""Changing a study while it runs, archiving it, and deleting it."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.language import lines_in_language
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.analysis.frame.entry import enter
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.studies import services as studies
from annotation_platform.studies.models import AnnotatorsAre, AssignmentPolicy, Study
from annotation_platform.studies.selectors import mirror_partner, mirror_partners, study_for_admin
from annotation_platform.studies.services.making import MOST_OVERLAP
from annotation_platform.workspace.settings.mirrors import read_mirrors
from annotation_platform.workspace.settings.what_goes import what_goes

Step = Callable[[PageRequest, Study], str]


@login_required
@require_http_methods(["GET", "POST"])
def study_settings(request: PageRequest, slug: str) -> HttpResponse:
    """One form for each thing that can change; what was typed stays when it cannot be used."""
    study, context = enter(request, slug)
    step = request.POST.get("step", "")
    typed: dict[str, Any] = {
        "name": study.name,
        "overlap": study.overlap,
        "minutes": study.time_limit_minutes,
        "policy": study.assignment_policy,
        "most_tasks": study.most_tasks or "",
        "most_tasks_a_day": study.most_tasks_a_day or "",
        "annotators": study.annotators_are or "",
        "judged": study.judged_at_random,
        "scored": study.scored_at_random,
        "mirrors": "",
        "shared_with": "",
    }
    refused = {}
    if request.method == "POST":
        try:
            done = _take(request, study, step)
        except InvalidInputError as error:
            refused = {step: " ".join(lines_in_language(error))}
            typed |= {key: request.POST[key] for key in typed if key in request.POST}
        else:
            messages.success(request, done)
            return redirect("home") if step == "delete" else redirect("study_settings", slug=slug)
    mirrored = study.items.exclude(mirror="").count() if study.has_mirrored_items else 0
    others = mirror_partners(request.user, study)
    context |= {
        "most_overlap": MOST_OVERLAP,
        "policies": AssignmentPolicy.choices,
        "kinds": AnnotatorsAre.choices,
        "mirrored": mirrored,
        "others": others,
    }
    context |= {"typed": typed, "refused": refused, "goes": what_goes(study) if context["is_admin"] else []}
    return render(request, "workspace/settings.html", context, status=422 if refused else 200)


def _take(request: PageRequest, study: Study, step: str) -> str:
    """Do one step; what to tell about it."""
    if step in STEPS:
        return STEPS[step](request, study)
    if step in STEPS_OF_ADMINS:
        return STEPS_OF_ADMINS[step](request, study_for_admin(request.user, study.slug))
    raise InvalidInputError("workspace.nothing_chosen")


def _rename(request: PageRequest, study: Study) -> str:
    studies.rename_study(study=study, name=request.POST.get("name", ""), actor=Actor.of_request(request))
    return _("The study is called “%(name)s” now. Its address stays the same.") % {"name": study.name}


def _change_overlap(request: PageRequest, study: Study) -> str:
    change = studies.change_overlap(
        study=study,
        overlap=_number(request, "overlap", code="workspace.overlap_unread"),
        actor=Actor.of_request(request),
    )
    told = [
        _counted(
            ngettext(
                "Batches that are open, and those opened from now on, have %(count)s judgment an item.",
                "Batches that are open, and those opened from now on, have %(count)s judgments an item.",
                study.overlap,
            ),
            study.overlap,
        )
    ]
    if n := change.added:
        added = ngettext(
            "%(count)s assignment added to open batches.", "%(count)s assignments added to open batches.", n
        )
        told.append(_counted(added, n))
    if n := change.removed:
        removed = ngettext(
            "%(count)s free assignment removed from open batches.",
            "%(count)s free assignments removed from open batches.",
            n,
        )
        told.append(_counted(removed, n))
    if n := change.wider:
        wider = ngettext(
            "%(count)s task keeps more assignments than that, since they are taken already.",
            "%(count)s tasks keep more assignments than that, since they are taken already.",
            n,
        )
        told.append(_counted(wider, n))
    return " ".join(told)


def _change_time_limit(request: PageRequest, study: Study) -> str:
    studies.change_time_limit(
        study=study,
        minutes=_number(request, "minutes", code="workspace.time_limit_unread"),
        actor=Actor.of_request(request),
    )
    n = study.time_limit_minutes
    told = ngettext(
        "Tasks taken from now on are reserved for %(count)s minute.",
        "Tasks taken from now on are reserved for %(count)s minutes.",
        n,
    )
    return _counted(told, n)


def _set_limits(request: PageRequest, study: Study) -> str:
    policy = request.POST.get("policy", "")
    if policy not in AssignmentPolicy.values:
        raise InvalidInputError("studies.no_policy")
    studies.set_limits(
        study=study,
        policy=AssignmentPolicy(policy),
        most_tasks=_number_or_any(request, "most_tasks"),
        most_tasks_a_day=_number_or_any(request, "most_tasks_a_day"),
        actor=Actor.of_request(request),
    )
    return _("Tasks are given out in this way from now on. Who has one keeps it.")


def _say_who_annotates(request: PageRequest, study: Study) -> str:
    kind = request.POST.get("annotators") or None
    if kind is not None and kind not in AnnotatorsAre.values:
        raise InvalidInputError("workspace.no_kind_of_annotators")
    studies.change_study(study=study, annotators_are=kind, actor=Actor.of_request(request))
    return _("Saved. The alternative annotator test goes by it.")


def _declare_mirrors(request: PageRequest, study: Study) -> str:
    shared = mirror_partner(request.user, study, request.POST.get("shared_with"))
    count = studies.declare_mirrored(
        study=study,
        rows=read_mirrors(request.POST.get("mirrors", "")),
        shared_with=shared,
        actor=Actor.of_request(request),
    )
    told = ngettext(
        "%(count)s item mirrors others. Nobody gets two of one group.",
        "%(count)s items mirror others. Nobody gets two of one group.",
        count,
    )
    return _counted(told, count)


def _declare_random_parts(request: PageRequest, study: Study) -> str:
    studies.declare_random_parts(
        study=study,
        judged="judged" in request.POST,
        scored="scored" in request.POST,
        actor=Actor.of_request(request),
    )
    return _("Saved. Estimates for all items go by this from the next snapshot on.")


def _archive(request: PageRequest, study: Study) -> str:
    studies.archive_study(study=study, actor=Actor.of_request(request))
    return _("“%(study)s” is archived. Who has a task can finish it; nobody gets another one.") % {"study": study}


def _restore(request: PageRequest, study: Study) -> str:
    studies.restore_study(study=study, actor=Actor.of_request(request))
    return _("“%(study)s” is back; the tasks of its open batches can be taken again.") % {"study": study}


def _delete(request: PageRequest, study: Study) -> str:
    studies.delete_study(study=study, typed_name=request.POST.get("typed_name", ""), actor=Actor.of_request(request))
    told = _("“%(study)s” was deleted. Its corpus “%(corpus)s” is still there.")
    return told % {"study": study, "corpus": study.corpus}


STEPS: dict[str, Step] = {
    "name": _rename,
    "overlap": _change_overlap,
    "minutes": _change_time_limit,
    "limits": _set_limits,
    "annotators": _say_who_annotates,
    "mirrors": _declare_mirrors,
    "random": _declare_random_parts,
}
STEPS_OF_ADMINS: dict[str, Step] = {"archive": _archive, "restore": _restore, "delete": _delete}


def _number(request: PageRequest, name: str, *, code: str) -> int:
    try:
        return int(request.POST.get(name, ""))
    except ValueError:
        raise InvalidInputError(code) from None


def _number_or_any(request: PageRequest, name: str) -> int | None:
    if not request.POST.get(name, "").strip():
        return None
    try:
        return int(request.POST[name])
    except ValueError:
        raise InvalidInputError("studies.most_tasks_wrong", most=studies.MOST_TASKS) from None


def _counted(told: str, count: int) -> str:
    return told % {"count": f"{count:,}"}
