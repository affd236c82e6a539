"""Which mails somebody wants: chosen under their account, or stopped by the link in a mail."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.models import User
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.crowd.talk.services.wishes import mail_wishes_of, user_of_stop_token, wish_for_mail


@login_required
@require_http_methods(["GET", "POST"])
def mail_wishes(request: PageRequest) -> HttpResponse:
    """Mail about new messages and about announcements: wanted or not."""
    user = request.user
    assert isinstance(user, User)  # login_required
    if request.method == "POST":
        wish_for_mail(
            user=user,
            messages="messages" in request.POST,
            announcements="announcements" in request.POST,
            actor=Actor.of_request(request),
        )
        messages.success(request, _("Saved."))
        return redirect("mail_wishes")
    return render(request, "crowd/talk/mail_wishes.html", {"wishes": mail_wishes_of(user)})


@require_http_methods(["GET", "POST"])
def stop_mail(request: PageRequest, token: str) -> HttpResponse:
    """Stop all mails of the kind; a look at the link does not, since mail programs look at links too."""
    user = user_of_stop_token(token)
    if request.method == "POST":
        wish_for_mail(user=user, messages=False, announcements=False, actor=Actor.person(user.pk))
    return render(request, "crowd/talk/stop_mail.html", {"is_stopped": request.method == "POST"})
