"""The researchers' pages of frequent questions: the list with its order, and one entry."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.annotations.forms.texts import interface_language
from annotation_platform.annotations.models import Message
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.text import typed_number
from annotation_platform.crowd.pages import enter
from annotation_platform.crowd.talk.forms import FaqForm
from annotation_platform.crowd.talk.selectors import answer_in, faq_entry_in, in_language_of_reader
from annotation_platform.crowd.talk.services import faq as services

QUESTION_LENGTH = 300


@login_required
@require_safe
def faq(request: PageRequest, slug: str) -> HttpResponse:
    """The entries in their order, each with its words in the reader's language where it has them."""
    study, context = enter(request, slug, "crowd_faq")
    entries = [(each, in_language_of_reader(each, interface_language())) for each in study.faq.all()]
    return render(request, "crowd/talk/faq_entries.html", context | {"entries": entries})


@login_required
@require_http_methods(["GET", "POST"])
def new_entry(request: PageRequest, slug: str) -> HttpResponse:
    """A new entry; with ``from``, the key of an answer, it starts from that and from what was asked."""
    study, context = enter(request, slug, "crowd_faq")
    key = typed_number(request.GET.get("from"))
    answer = None if key is None else answer_in(study, key)
    if request.method == "GET":
        context |= {"form": FaqForm(initial=_grown_from(answer) if answer else None), "grown_from": answer}
        return render(request, "crowd/talk/faq_entry.html", context)
    form = FaqForm(request.POST)
    if form.is_valid():
        try:
            services.add_entry(study=study, grown_from=answer, actor=Actor.of_request(request), **form.cleaned_data)
        except InvalidInputError as error:
            form.add_error(None, in_language(error))
        else:
            messages.success(request, _("Added. Annotators find it with the instructions and on their start page."))
            return redirect("crowd_faq", slug=slug)
    return render(request, "crowd/talk/faq_entry.html", context | {"form": form, "grown_from": answer}, status=422)


@login_required
@require_http_methods(["GET", "POST"])
def entry(request: PageRequest, slug: str, pk: int) -> HttpResponse:
    """Change an entry's words."""
    study, context = enter(request, slug, "crowd_faq")
    one = faq_entry_in(study, pk)
    if request.method == "GET":
        return render(request, "crowd/talk/faq_entry.html", context | {"form": FaqForm(instance=one), "entry": one})
    form = FaqForm(request.POST, instance=faq_entry_in(study, pk))
    if form.is_valid():
        try:
            services.change_entry(entry=one, actor=Actor.of_request(request), **form.cleaned_data)
        except InvalidInputError as error:
            form.add_error(None, in_language(error))
        else:
            messages.success(request, _("Saved."))
            return redirect("crowd_faq", slug=slug)
    return render(request, "crowd/talk/faq_entry.html", context | {"form": form, "entry": one}, status=422)


@login_required
@require_POST
def move(request: PageRequest, slug: str, pk: int) -> HttpResponse:
    """One place up or down."""
    study, _context = enter(request, slug, "crowd_faq")
    services.move_entry(entry=faq_entry_in(study, pk), up="up" in request.POST, actor=Actor.of_request(request))
    return redirect("crowd_faq", slug=slug)


@login_required
@require_POST
def remove(request: PageRequest, slug: str, pk: int) -> HttpResponse:
    """Take an entry out."""
    study, _context = enter(request, slug, "crowd_faq")
    services.remove_entry(entry=faq_entry_in(study, pk), actor=Actor.of_request(request))
    messages.success(request, _("Removed."))
    return redirect("crowd_faq", slug=slug)


def _grown_from(answer: Message) -> dict[str, Any]:
    """The answer, and what the annotator had asked before it; in the fields of the language that they look like."""
    before = Message.objects.filter(annotator=answer.annotator_id, assignment=answer.assignment_id, pk__lt=answer.pk)
    asked = before.filter(author=answer.annotator_id).order_by("-pk").first()
    question = " ".join(asked.text.split())[:QUESTION_LENGTH] if asked else ""
    is_japanese = any("\u3040" <= sign <= "\u30ff" for sign in answer.text + question)
    language = "ja" if is_japanese else "en"
    return {f"question_{language}": question, f"answer_{language}": answer.text}
