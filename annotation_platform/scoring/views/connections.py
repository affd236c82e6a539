"""Model connections, for the platform's staff: which there are, adding and changing one, and trying it."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation_platform.accounts.models import User
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.core.errors import DomainError, NotThereError
from annotation_platform.scoring.connections import save_connection, try_connection
from annotation_platform.scoring.forms import ConnectionForm
from annotation_platform.scoring.models import ModelConnection
from annotation_platform.scoring.selectors import connections_with_costs

LONGEST_SHOWN = 200


@login_required
@require_GET
def connections(request: PageRequest) -> HttpResponse:
    _require_staff(request)
    return render(request, "scoring/connections.html", {"connections": connections_with_costs()})


@login_required
@require_http_methods(["GET", "POST"])
def connection(request: PageRequest, pk: int | None = None) -> HttpResponse:
    """Add a connection or change one; what was typed stays when it cannot be saved, except the key."""
    _require_staff(request)
    found = _connection(pk) if pk is not None else None
    form = ConnectionForm(request.POST or None, instance=found)
    if request.method == "POST" and form.is_valid():
        saved = save_connection(
            connection=form.instance,
            key=form.cleaned_data["key"],
            forget_key=form.cleaned_data.get("forget_key", False),
        )
        messages.success(request, f"Saved “{saved}”. Try it, before a run needs it.")
        return redirect("connections")
    context = {"form": form, "connection": found}
    return render(request, "scoring/connection.html", context, status=422 if form.errors else 200)


@login_required
@require_POST
def try_one(request: PageRequest, pk: int) -> HttpResponse:
    """Ask the server one small thing, and show what it answered."""
    _require_staff(request)
    found = _connection(pk)
    try:
        trial = try_connection(connection=found)
    except DomainError as error:
        messages.error(request, f"“{found}” does not work: {error}")
    else:
        said = trial.reply.text.strip()[:LONGEST_SHOWN] or "(nothing)"
        model = trial.reply.model or "a model without a name"
        messages.success(request, f"“{found}” works: {model} answered “{said}” in {trial.seconds:.1f} s.")
    return redirect("connections")


def _connection(pk: int) -> ModelConnection:
    found = ModelConnection.objects.filter(pk=pk).first()
    if found is None:
        raise NotThereError("There is no such connection.")
    return found


def _require_staff(request: PageRequest) -> None:
    """
    Raises
    ------
    NotThereError
        For everybody else, as if there were no such page.
    """
    if not (isinstance(request.user, User) and request.user.is_staff):
        raise NotThereError("Model connections are managed by the platform's staff.")
