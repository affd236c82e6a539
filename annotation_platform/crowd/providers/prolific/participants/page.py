"""The researchers' pages of Prolific's participants: a file beside what is here, and what is kept of it."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_safe

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.language import in_language, lines_in_language
from annotation_platform.core.errors import DomainError, InvalidInputError
from annotation_platform.crowd.pages import enter
from annotation_platform.crowd.providers.prolific.connecting import connection_for
from annotation_platform.crowd.providers.prolific.participants import services
from annotation_platform.crowd.providers.prolific.participants.forms import FileForm, StoreForm
from annotation_platform.crowd.providers.prolific.participants.groups import FEWEST_ANNOTATORS, who_took_part
from annotation_platform.crowd.providers.prolific.participants.models import ParticipantsFile
from annotation_platform.crowd.providers.prolific.participants.reading import NOT_SAID, Participants
from annotation_platform.crowd.providers.prolific.participants.selectors import columns_of, file_in, files_of, kept_of
from annotation_platform.crowd.providers.prolific.participants.table import kept_as_csv

PER_PAGE, FILES_SHOWN = 50, 20


@login_required
@require_http_methods(["GET", "POST"])
def participants(request: HttpRequest, slug: str) -> HttpResponse:
    """Take a file to be looked at, and show what was kept of others; on POST with ``do=forget`` forget that."""
    study, context = enter(request, slug, "sources")
    if (connection := connection_for(study)) is None:
        return redirect("prolific", slug=slug)
    if request.POST.get("do") == "forget":
        count = services.forget_kept(connection=connection, actor=Actor.of_request(request))
        words = ngettext("Of %(count)s person it is forgotten.", "Of %(count)s people it is forgotten.", count)
        messages.success(request, words % {"count": count})
        return redirect("prolific_participants", slug=slug)
    form = FileForm(request.POST or None, request.FILES or None, label_suffix="")
    lines: list[str] = []
    if request.method == "POST" and form.is_valid():
        try:
            upload = form.cleaned_data["file"]
            file = services.hold_file(connection=connection, upload=upload, actor=Actor.of_request(request))
        except InvalidInputError as refused:
            lines = lines_in_language(refused)
        else:
            return redirect("prolific_participants_file", slug=slug, pk=file.pk)
    kept = kept_of(study)
    context |= {"form": form, "lines": lines, "files": files_of(connection)[:FILES_SHOWN]}
    context |= {"columns": columns_of(kept), "people": kept.exclude(values={}).count()}
    took_part, groups = who_took_part(study)
    context |= {"took_part": took_part, "said_by": groups, "fewest": FEWEST_ANNOTATORS}
    return render(request, "crowd/prolific/participants.html", context, status=422 if lines or form.errors else 200)


@login_required
@require_http_methods(["GET", "POST"])
def participants_file(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One file: what differs, what cannot come, and the choice of what is kept."""
    study, context = enter(request, slug, "sources")
    file = file_in(study, pk)
    context |= {"file": file, "error": ""}
    if request.method == "POST" and request.POST.get("do") == "give-up":
        return _give_up(request, file)
    if file.stored_at is not None:
        return render(request, "crowd/prolific/participants_stored.html", context)
    found, comparison = services.look_at(file)
    form = StoreForm(request.POST or None, columns=found.columns, label_suffix="")
    if form.errors:
        context["error"] = form.errors["columns"][0]
    elif request.method == "POST":
        try:
            services.store(file=file, **form.cleaned_data, actor=Actor.of_request(request))
        except DomainError as refused:
            context["error"] = in_language(refused)
        else:
            return redirect("prolific_participants_file", slug=slug, pk=pk)
    shows_all = "all" in request.GET
    rows = comparison.rows if shows_all else comparison.differing
    context |= {"found": found, "comparison": comparison, "shows_all": shows_all, "columns": _columns(found, form)}
    context |= {"rows": Paginator(rows, PER_PAGE).get_page(request.GET.get("page")), "form": form}
    return render(request, "crowd/prolific/participants_file.html", context, status=422 if request.POST else 200)


@login_required
@require_safe
def kept_table(request: HttpRequest, slug: str) -> HttpResponse:
    """What was kept, as CSV: a row for each annotator, by pseudonym."""
    study, _context = enter(request, slug, "sources")
    headers = {"Content-Disposition": f'attachment; filename="{slug}-participants.csv"'}
    text = kept_as_csv(kept_of(study)).encode("utf-8-sig")
    return HttpResponse(text, "text/csv; charset=utf-8", headers=headers | {"Cache-Control": "private, no-store"})


def _give_up(request: HttpRequest, file: ParticipantsFile) -> HttpResponse:
    slug = file.connection.study.slug
    try:
        services.give_up(file=file, actor=Actor.of_request(request))
    except DomainError as refused:
        messages.error(request, in_language(refused))
    else:
        messages.success(request, _("The file is forgotten. Nothing of it was kept."))
    return redirect("prolific_participants", slug=slug)


def _columns(found: Participants, form: StoreForm) -> list[dict[str, Any]]:
    """Each column about people: how many rows say something in it, and whether it was ticked."""
    ticked = form["columns"].value() or ()
    shown = []
    for name in found.columns:
        said = [row.said[name] for row in found.rows if name in row.said]
        withheld = sum(each in NOT_SAID for each in said)
        shown.append({"name": name, "said": len(said) - withheld, "withheld": withheld, "is_ticked": name in ticked})
    return shown
