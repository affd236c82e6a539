"""The tokens of a study's service accounts; for its admins."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.forms import TokenForm
from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.accounts.scopes import Scope
from annotation_platform.accounts.tokens import revoke_token
from annotation_platform.analysis.frame.entry import enter
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.studies.models import Role
from annotation_platform.studies.selectors import study_for_admin
from annotation_platform.studies.service_accounts import ROLES, create_service_token, token_of_study, tokens_of

SCOPES = (Scope.READ, Scope.MANAGE, Scope.ADMIN)


class ServiceTokenForm(TokenForm):
    """The same, and as what the program is in the study."""

    role = forms.ChoiceField(
        label=_("What the program is in the study"), choices=[(role.value, role.label) for role in ROLES]
    )

    def __init__(self, sent: Any = None) -> None:
        super().__init__(sent, scopes=SCOPES)


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def study_tokens(request: PageRequest, slug: str) -> HttpResponse:
    """The list and the form; after a POST the page shows the new token, and no other page ever does."""
    study = study_for_admin(request.user, slug)
    _study, context = enter(request, slug)
    form, secret = ServiceTokenForm(request.POST or None), ""
    if request.method == "POST" and form.is_valid():
        new = form.cleaned_data
        try:
            _token, secret = create_service_token(
                study=study, **new | {"role": Role(new["role"])}, actor=Actor.of_request(request)
            )
        except InvalidInputError as refused:
            form.add_error(None, in_language(refused))
        else:
            form = ServiceTokenForm()
    context |= {
        "form": form,
        "secret": secret,
        "tokens": tokens_of(study),
        "revoke_address": "revoke_study_token",
    }
    return render(request, "workspace/tokens.html", context, status=422 if form.errors else 200)


@login_required
@require_POST
def revoke_study_token(request: PageRequest, slug: str, pk: int) -> HttpResponse:
    """Make a token of a service account void."""
    study = study_for_admin(request.user, slug)
    token = token_of_study(study, pk)
    revoke_token(token=token, study=study, actor=Actor.of_request(request))
    messages.success(request, gettext("The token is revoked. Nothing gets in by it any more."))
    return redirect("study_tokens", slug=slug)
