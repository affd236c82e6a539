"""The researcher's pages about accepted answers: all items of a round, one of them, and the file."""

from typing import Any, TypedDict

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_http_methods, require_safe

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.language import in_language, lines_in_language
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.annotations.forms.as_seen import title_of
from annotation_platform.annotations.forms.texts import interface_language
from annotation_platform.core.errors import ConflictError, InvalidInputError
from annotation_platform.core.items import ItemTexts
from annotation_platform.core.qualification import AcceptedAnswersError, comparable_slots
from annotation_platform.core.schemes import ItemShape, Scheme
from annotation_platform.crowd.pages import enter
from annotation_platform.crowd.rounds import services
from annotation_platform.crowd.rounds.comparison import accepted_in_words
from annotation_platform.crowd.rounds.key_fields import key_fields, sent_key
from annotation_platform.crowd.rounds.key_files import read_key, write_key
from annotation_platform.crowd.rounds.models import Round
from annotation_platform.crowd.rounds.selectors import RoundItem, item_of, items_of, round_in
from annotation_platform.crowd.uploads.reading import content_of
from annotation_platform.studies.items import item_texts
from annotation_platform.studies.models import Item

ONE_OF_EACH = ItemShape(sentences=1, candidates=1)


class KeySaid(TypedDict):
    """What a form says of one item: the accepted answers by slot, whether they must be met, and why."""

    raw: dict[str, Any]
    must_pass: bool
    explanation: str


@login_required
@require_http_methods(["GET", "POST"])
def key(request: PageRequest, slug: str, pk: int) -> HttpResponse:
    """The items of a round with what is accepted; a file that is sent here writes the keys that it has."""
    study, context = enter(request, slug, "rounds")
    round_ = round_in(study, pk)
    reasons: list[str] = []
    if request.method == "POST":
        try:
            count = services.import_key(round_=round_, written=_read(request), actor=Actor.of_request(request))
        except InvalidInputError as error:
            reasons = [in_language(error), *(line for line in lines_in_language(error) if line != in_language(error))]
        else:
            said = ngettext(
                "The accepted answers of %(count)s item were stored.",
                "The accepted answers of %(count)s items were stored.",
                count,
            )
            messages.success(request, said % {"count": count})
            return redirect("round_key", slug=slug, pk=pk)
    context |= {"round": round_, "items": _in_words(round_), "reasons": reasons, "text": request.POST.get("text", "")}
    return render(request, "crowd/rounds/key.html", context, status=422 if reasons else 200)


@login_required
@require_safe
def key_file(request: PageRequest, slug: str, pk: int) -> HttpResponse:
    """The accepted answers as CSV, to fill in and send back."""
    study, _ = enter(request, slug, "rounds")
    round_ = round_in(study, pk)
    slots = [slot.key for slot in comparable_slots(round_.study.scheme(), ONE_OF_EACH)]
    response = HttpResponse(write_key(items_of(round_), slots), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{round_.study.slug}-key.csv"'
    return response


@login_required
@require_http_methods(["GET", "POST"])
def item_key(request: PageRequest, slug: str, pk: int, number: int) -> HttpResponse:
    """What is accepted for one item, beside its texts; saved, it leads to the next."""
    study, context = enter(request, slug, "rounds")
    round_ = round_in(study, pk)
    item, scheme, material = _asked(round_, number)
    count = round_.study.items.count()
    said = _stored(item)
    errors: dict[str, str] = {}
    reason = ""
    if request.method == "POST":
        said = _sent(scheme, material, request.POST)
        try:
            made_under = request.POST.get("scheme", "")
            services.set_key(round_=round_, item=item, actor=Actor.of_request(request), made_under=made_under, **said)
        except ConflictError as changed:
            item, scheme, material = _asked(round_, number)
            said["raw"], reason = _stored(item)["raw"], in_language(changed)
        except AcceptedAnswersError as refused:
            errors = {slot: in_language(why) for slot, why in refused.errors.items()}
        except InvalidInputError as refused:
            reason = in_language(refused)
        else:
            messages.success(request, gettext("Item %(number)s is stored.") % {"number": number})
            if number < count:
                return redirect("round_item_key", slug=slug, pk=pk, number=number + 1)
            return redirect("round_key", slug=slug, pk=pk)
    context |= {"round": round_, "item": item, "count": count, "material": material}
    context |= {"must_pass": said["must_pass"], "explanation": said["explanation"], "reason": reason}
    context |= {"fields": key_fields(scheme, material, said["raw"], errors), "has_errors": bool(errors or reason)}
    return render(request, "crowd/rounds/key_item.html", context, status=422 if errors or reason else 200)


def _asked(round_: Round, number: int) -> tuple[RoundItem, Scheme, ItemTexts]:
    """An item with its key, and what it is asked and shows, as they are now."""
    item, scheme = item_of(round_, number), round_.study.scheme(interface_language())
    (material,) = item_texts(Item.objects.filter(pk=item.item.pk), scheme.parts)
    return item, scheme, material


def _stored(item: RoundItem) -> KeySaid:
    if item.key is None:
        return {"raw": {}, "must_pass": False, "explanation": ""}
    return {"raw": dict(item.key.accepted), "must_pass": item.key.must_pass, "explanation": item.key.explanation}


def _sent(scheme: Scheme, material: ItemTexts, sent: QueryDict) -> KeySaid:
    raw = sent_key(scheme, material, sent)
    return {"raw": raw, "must_pass": "must_pass" in sent, "explanation": sent.get("explanation", "")}


def _read(request: PageRequest) -> Any:
    """The file that was sent, or what was pasted.

    Raises
    ------
    InvalidInputError
        When it cannot be read.
    """
    return read_key(content_of(request.FILES.get("file"), request.POST.get("text", "")))


def _in_words(round_: Round) -> list[tuple[RoundItem, list[tuple[str, str]]]]:
    """The items, each with its accepted answers as title and words."""
    scheme = round_.study.scheme(interface_language())
    texts = {each.id: each for each in item_texts(Item.objects.filter(study=round_.study_id), scheme.parts)}
    found = []
    for each in items_of(round_):
        material = texts[each.item.pk]
        accepted = each.key.accepted if each.key else {}
        slots = [slot for slot in comparable_slots(scheme, material.shape) if slot.key in accepted]
        words = [
            (title_of(slot, material), accepted_in_words(scheme, slot, material, accepted[slot.key])) for slot in slots
        ]
        found.append((each, words))
    return found
