"""Model connections: the platform's, which its staff keeps, and those of a study, which its researchers keep."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.models import User
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.core.errors import NotThereError
from annotation_platform.jobs.worker_status import worker_state
from annotation_platform.scoring.connections import save_connection
from annotation_platform.scoring.forms import ConnectionForm
from annotation_platform.scoring.models import ConnectionTrial, ModelConnection
from annotation_platform.scoring.selectors import connections_with_costs
from annotation_platform.scoring.trials import request_trial
from annotation_platform.studies.models import Role, Study
from annotation_platform.studies.selectors import membership, study_for_reader
from workers.tasks import enqueue


@login_required
@require_safe
def connections(request: PageRequest, slug: str = "") -> HttpResponse:
    """All connections, each with what came of its last trial; one under way asks for its part again."""
    study = _scope(request, slug)
    found = list(connections_with_costs(study))
    trials = {trial.connection_id: trial for trial in ConnectionTrial.objects.filter(connection__in=found)}
    rows = [
        (
            each,
            _address("connection", study, pk=each.pk) if _may_change(request, each) else "",
            _try(study, each),
            trials.get(each.pk),
        )
        for each in found
    ]
    context = _context(request, study) | {
        "connections": rows,
        "new_url": _address("new_connection", study),
        "worker": worker_state(),
        "of_platform": ModelConnection.objects.filter(study=None, is_active=True) if study else (),
    }
    return render(request, "scoring/connections.html", context)


@login_required
@require_http_methods(["GET", "POST"])
def connection(request: PageRequest, slug: str = "", pk: int | None = None) -> HttpResponse:
    """Add a connection or change one; what was typed stays when it cannot be saved, except the key."""
    study = _scope(request, slug)
    assert isinstance(request.user, User)  # login_required
    found = _connection(study, pk) if pk is not None else None
    if found is not None and not _may_change(request, found):
        raise NotThereError("scoring.may_not_change_connection")
    form = ConnectionForm(request.POST or None, instance=found or ModelConnection(study=study, created_by=request.user))
    if request.method == "POST" and form.is_valid():
        saved = save_connection(
            connection=form.instance,
            key=form.cleaned_data["key"],
            forget_key=form.cleaned_data.get("forget_key", False),
            actor=Actor.of_request(request),
        )
        messages.success(request, _("Saved “%(name)s”. Try it, before a run needs it.") % {"name": saved})
        return redirect(_address("connections", study))
    context = _context(request, study) | {"form": form, "connection": found}
    return render(request, "scoring/connection.html", context, status=422 if form.errors else 200)


@login_required
@require_POST
def try_one(request: PageRequest, pk: int, slug: str = "") -> HttpResponse:
    """Have the worker ask the server one small thing; the list shows what it answered."""
    study = _scope(request, slug)
    found = _connection(study, pk)
    enqueue(request_trial(connection=found, actor=Actor.of_request(request)))
    return redirect(f"{_address('connections', study)}#connection-{found.pk}")


def _scope(request: PageRequest, slug: str) -> Study | None:
    """The study whose connections are meant, for its researchers and admins; without one the platform's, for staff.

    Raises
    ------
    NotThereError
        For everybody else, as if there were no such page.
    """
    if slug:
        return study_for_reader(request.user, slug)
    if not (isinstance(request.user, User) and request.user.is_staff):
        raise NotThereError("scoring.may_not_manage_connections")
    return None


def _connection(study: Study | None, pk: int) -> ModelConnection:
    found = ModelConnection.objects.filter(pk=pk, study=study).first()
    if found is None:
        raise NotThereError("scoring.no_connection")
    return found


def _may_change(request: PageRequest, connection: ModelConnection) -> bool:
    """Staff the platform's; a study's own who made it, and the study's admins."""
    if connection.study is None:
        return True  # only staff comes so far
    is_admin = membership(request.user, connection.study).role == Role.ADMIN
    return is_admin or connection.created_by_id == request.user.pk


def _address(name: str, study: Study | None, **parameters: Any) -> str:
    """The address of a page here: of the platform's connections, or of the study's."""
    if study is None:
        return reverse(name, kwargs=parameters)
    of_study = name.replace("connection", "study_connection", 1)
    return reverse(of_study, kwargs={"slug": study.slug, **parameters})


def _try(study: Study | None, connection: ModelConnection) -> str:
    return _address("try_connection", study, pk=connection.pk)


def _context(request: PageRequest, study: Study | None) -> dict[str, Any]:
    context: dict[str, Any] = {"study": study, "list_url": _address("connections", study)}
    if study is not None:
        context["is_admin"] = membership(request.user, study).role == Role.ADMIN
    return context
