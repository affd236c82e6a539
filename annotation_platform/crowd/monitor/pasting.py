"""What the page on which people annotate tells of a paste: its length, and nothing of the text."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.views.decorators.http import require_POST

from annotation_platform.accounts.requests import PageRequest
from annotation_platform.annotations.selectors import held_assignment, item_at
from annotation_platform.crowd.monitor.models import Paste

MOST_CHARACTERS = 1_000_000
MOST_PASTES = 50  # of one person in one item


@login_required
@require_POST
def pasted(request: PageRequest, pk: int, position: int) -> HttpResponse:
    """Count a paste into a field of text; one that cannot be is left out without a word, since nobody waits for it."""
    held = held_assignment(request.user, pk)
    item = item_at(held.assignment, position)
    scheme = held.assignment.hit.batch.study.scheme()
    slot, given = request.POST.get("slot", ""), request.POST.get("characters", "")
    texts = {aspect.key for aspect in scheme.aspects if aspect.kind == "text"}
    length = int(given) if given.isdecimal() and len(given) < 8 else 0
    is_known = slot.partition(".")[0] in texts and len(slot) <= 60
    if is_known and 1 <= length <= MOST_CHARACTERS:
        mine = Paste.objects.filter(member=held.annotator, item=item)
        if mine.count() < MOST_PASTES:
            Paste.objects.create(member=held.annotator, item=item, slot=slot, characters=length)
    return HttpResponse(status=204)
