"""The history of a study: who did what when."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from annotation_platform.accounts.requests import PageRequest
from annotation_platform.analysis.frame.entry import enter
from annotation_platform.workspace.history.events import history_of
from annotation_platform.workspace.history.wording import TOPICS


@login_required
@require_safe
def history(request: PageRequest, slug: str) -> HttpResponse:
    """A page of the events, the newest first; of one kind, if asked for."""
    study, context = enter(request, slug)
    topic = request.GET.get("kind", "")
    lines, page = history_of(
        study, topic=topic, after=request.GET.get("after", ""), before=request.GET.get("before", "")
    )
    context |= {
        "lines": lines,
        "page": page,
        "topic": topic if topic in TOPICS else "",
        "topics": [(key, _(label)) for key, label in TOPICS.items()],
    }
    return render(request, "workspace/history.html", context)
