"""A study's webhooks, one of them with its log, and what is done with it; for researchers and admins."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.analysis.frame.entry import enter
from annotation_platform.core.errors import DomainError, InvalidInputError
from annotation_platform.jobs.worker_status import worker_state
from annotation_platform.webhooks import services
from annotation_platform.webhooks.forms import WebhookForm
from annotation_platform.webhooks.kinds import LABELS
from annotation_platform.webhooks.models import Endpoint
from workers.tasks import deliver_webhooks

SHOWN = 100  # messages of the log


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def webhooks(request: PageRequest, slug: str) -> HttpResponse:
    """All of a study's, and a form for one more; after a POST the page shows its secret, and no other page does."""
    study, context = enter(request, slug)
    form, secret, added = WebhookForm(request.POST or None), "", None
    if request.method == "POST" and form.is_valid():
        try:
            added, secret = services.add_webhook(study=study, actor=Actor.of_request(request), **form.cleaned_data)
        except InvalidInputError as refused:
            form.add_error(None, in_language(refused))
        else:
            form = WebhookForm()
    context |= {
        "form": form,
        "secret": secret,
        "added": added,
        "webhooks": [(each, [LABELS[kind] for kind in LABELS if kind in each.kinds]) for each in study.webhooks.all()],
    }
    return render(request, "webhooks/webhooks.html", context, status=422 if form.errors else 200)


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def webhook(request: PageRequest, slug: str, pk: int) -> HttpResponse:
    """One webhook: changing it, its secret, its log."""
    study, context = enter(request, slug)
    endpoint = services.webhook_of(study, pk)
    step = request.POST.get("step", "")
    form, secret = WebhookForm(request.POST if step == "change" else None, endpoint=endpoint), ""
    if request.method == "POST":
        actor = Actor.of_request(request)
        if step == "rotate":
            secret = services.rotate_secret(endpoint=endpoint, actor=actor)
        elif step != "change" or form.is_valid():
            try:
                return _done(request, endpoint, step, form, actor)
            except DomainError as refused:
                if form.is_bound:
                    form.add_error(None, in_language(refused))
                else:
                    messages.error(request, in_language(refused))
    log = endpoint.deliveries.defer("body")[: SHOWN + 1]
    context |= {"form": form, "secret": secret, "endpoint": endpoint, "log": log[:SHOWN], "has_more": len(log) > SHOWN}
    context |= {"worker": worker_state(), "kept_days": services.KEPT_FOR.days}
    return render(request, "webhooks/webhook.html", context, status=422 if form.errors else 200)


@login_required
@require_POST
def send_again(request: PageRequest, slug: str, pk: int, message: int) -> HttpResponse:
    """Send a message of the log once more."""
    study, _context = enter(request, slug)
    endpoint = services.webhook_of(study, pk)
    delivery = services.delivery_of(endpoint, message)
    try:
        services.send_again(delivery=delivery, actor=Actor.of_request(request))
    except DomainError as refused:
        messages.error(request, in_language(refused))
    else:
        deliver_webhooks.delay_on_commit()
        messages.success(request, _("It is sent again within a few seconds."))
    return redirect("study_webhook", slug=slug, pk=pk)


def _done(request: PageRequest, endpoint: Endpoint, step: str, form: WebhookForm, actor: Actor) -> HttpResponse:
    """Do what a button says, and go where that is seen."""
    slug = endpoint.study.slug
    match step:
        case "change":
            changed: dict[str, Any] = form.cleaned_data
            services.change_webhook(endpoint=endpoint, actor=actor, **changed)
            said = _("Changed.")
        case "off":
            services.switch_off(endpoint=endpoint, actor=actor)
            said = _("It is switched off. What happens from now on is not told.")
        case "on":
            services.switch_on(endpoint=endpoint, actor=actor)
            said = _("It is switched on.")
        case "test":
            services.send_test(endpoint=endpoint, actor=actor)
            said = _("A test message is on its way; reload this page in a few seconds.")
        case "delete":
            services.delete_webhook(endpoint=endpoint, actor=actor)
            messages.success(request, _("The webhook is deleted, with its secret and its log."))
            return redirect("study_webhooks", slug=slug)
        case _:
            raise InvalidInputError("webhooks.no_such_step")
    deliver_webhooks.delay_on_commit()
    messages.success(request, said)
    return redirect("study_webhook", slug=slug, pk=endpoint.pk)
