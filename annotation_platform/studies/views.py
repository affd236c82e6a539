"""Joining a study by an invitation, and the scheme language for editors."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_GET, require_http_methods

from annotation_platform.accounts.models import User
from annotation_platform.core.schemes.json_schema import scheme_json_schema
from annotation_platform.studies.invitations import accept_invitation, read_invitation


@login_required
@require_http_methods(["GET", "POST"])
def join(request: HttpRequest, token: str) -> HttpResponse:
    """Show what the invitation is to, and join on a click."""
    if request.method == "POST":
        assert isinstance(request.user, User)  # login_required
        member = accept_invitation(token=token, user=request.user)
        messages.success(request, f"You are in “{member.study}”. You are known there as {member}.")
        return redirect("home")
    return render(request, "studies/join.html", {"invitation": read_invitation(token=token)})


@require_GET
@cache_control(public=True, max_age=3600)
def scheme_schema(request: HttpRequest) -> JsonResponse:
    """The JSON Schema of scheme files, for everybody's editor."""
    return JsonResponse(
        {"$id": request.build_absolute_uri(), **scheme_json_schema()},
        content_type="application/schema+json",
        json_dumps_params={"ensure_ascii": False, "indent": 1},
    )
