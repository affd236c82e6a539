"""One's own tokens: the list, a new one that is shown this once, and revoking."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.forms import TokenForm
from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.models import ApiToken, User
from annotation_platform.accounts.tokens import create_token, revoke_token
from annotation_platform.core.errors import InvalidInputError, NotThereError


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def my_tokens(request: HttpRequest) -> HttpResponse:
    """The list and the form; after a POST the page shows the new token, and no other page ever does."""
    user = request.user
    assert isinstance(user, User)  # login_required
    form, secret = TokenForm(request.POST or None), ""
    if request.method == "POST" and form.is_valid():
        try:
            _token, secret = create_token(user=user, actor=Actor.of_request(request), **form.cleaned_data)
        except InvalidInputError as refused:
            form.add_error(None, in_language(refused))
        else:
            form = TokenForm()
    tokens = ApiToken.objects.filter(user=user, study=None)
    context = {"form": form, "secret": secret, "tokens": tokens, "revoke_address": "revoke_my_token"}
    return render(request, "accounts/my_tokens.html", context, status=422 if form.errors else 200)


@login_required
@require_POST
def revoke_my_token(request: HttpRequest, pk: int) -> HttpResponse:
    """Make one's own token void."""
    if (token := ApiToken.objects.filter(user=request.user.pk, study=None, pk=pk).first()) is None:
        raise NotThereError("accounts.no_token")
    revoke_token(token=token, actor=Actor.of_request(request))
    messages.success(request, _("The token is revoked. Nothing gets in by it any more."))
    return redirect("my_tokens")
