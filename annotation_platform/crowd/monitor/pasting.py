"""What the page on which people annotate tells of a paste: its length, and nothing of the text."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.views.decorators.http import require_POST

from annotation_platform.accounts.requests import PageRequest
from annotation_platform.annotations.selectors import held_assignment
from annotation_platform.core.text import typed_number
from annotation_platform.crowd.monitor.pastes import MOST_CHARACTERS, note_paste


@login_required
@require_POST
def pasted(request: PageRequest, pk: int, position: int) -> HttpResponse:
    """Count a paste into a field of text."""
    note_paste(
        held_assignment(request.user, pk),
        position=position,
        slot=request.POST.get("slot", ""),
        scheme_signature=request.POST.get("scheme", ""),
        characters=typed_number(request.POST.get("characters"), most=MOST_CHARACTERS) or 0,
    )
    return HttpResponse(status=204)
