"""The page on which a release is taken for training: which format, by which aspect, what comes of it."""

from itertools import islice

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.reasons import Reason
from annotation_platform.releases.freeze import services
from annotation_platform.releases.freeze.archive import stem_of
from annotation_platform.releases.freeze.reading import one, there
from annotation_platform.releases.freeze.rows import scheme_of
from annotation_platform.releases.models import Release
from annotation_platform.releases.training.preferences import (
    Preferences,
    TrainingFormat,
    aspects_to_train_on,
    lines,
)
from annotation_platform.releases.training.taking import to_train_on
from annotation_platform.server.downloads import passing
from annotation_platform.studies.selectors import study_for_reader

TITLES = {
    TrainingFormat.DPO: _("Preference pairs (TRL: DPO)"),
    TrainingFormat.REWARD: _("Preference pairs with margin (TRL: reward model)"),
    TrainingFormat.KTO: _("Good and bad answers (TRL: KTO)"),
    TrainingFormat.JUDGE: _("Chats to train a judge on, about all aspects"),
}


class TrainingForm(forms.Form):
    """What to make of a release."""

    format = forms.ChoiceField(choices=[(format.value, title) for format, title in TITLES.items()], label=_("Format"))
    aspect = forms.ChoiceField(label=_("Which answer is better is said by"), required=False)


@login_required
@require_safe
def training(request: PageRequest, slug: str, number: int) -> HttpResponse | StreamingHttpResponse:
    """Choose a format and an aspect, see how many rows come of it and what is dropped, download them."""
    release = there(one(study_for_reader(request.user, slug), number))
    form = TrainingForm(request.GET or None, label_suffix="")
    field = form.fields["aspect"]
    assert isinstance(field, forms.ChoiceField)
    field.choices = [(aspect.key, aspect.title) for aspect in aspects_to_train_on(scheme_of(release.folder))]
    found = None
    if form.is_valid():
        try:
            found = to_train_on(release, TrainingFormat(form.cleaned_data["format"]), form.cleaned_data["aspect"])
        except InvalidInputError as refused:
            form.add_error(None, in_language(refused))
        else:
            if "download" in request.GET:
                return _sent(request, release, form, found)
    context = {"study": release.study, "release": release, "form": form, "found": found}
    if found is not None:
        context["dropped"] = [Reason(why, count=count) for why, count in found.dropped.items()]
        context["examples"] = list(islice(found.rows, 2))
    return render(request, "releases/training.html", context, status=422 if form.errors else 200)


def _sent(request: PageRequest, release: Release, form: TrainingForm, found: Preferences) -> StreamingHttpResponse:
    services.note_download(release=release, actor=Actor.of_request(request))
    chosen = filter(None, (stem_of(release), form.cleaned_data["format"], form.cleaned_data["aspect"]))
    return passing(lines(found), content_type="application/x-ndjson", filename=f"{'-'.join(chosen)}.jsonl")
