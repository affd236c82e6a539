"""The pages of a study's releases, and those behind a link that was handed out."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.models import User
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.core.errors import DomainError, InvalidInputError, NotThereError
from annotation_platform.core.text import typed_number
from annotation_platform.jobs.worker_status import worker_state
from annotation_platform.releases.freeze import rights, services
from annotation_platform.releases.freeze.archive import files_in
from annotation_platform.releases.freeze.changes import release_before
from annotation_platform.releases.freeze.comparing.page import compared
from annotation_platform.releases.freeze.forms import LinkForm, ReleaseForm, RightForm, WithdrawForm
from annotation_platform.releases.freeze.packing import why_not_packed
from annotation_platform.releases.freeze.reading import one, sent, sent_part, there
from annotation_platform.releases.models import DownloadLink, Finding, Release
from annotation_platform.studies.models import Role, Study
from annotation_platform.studies.selectors import membership, study_for_admin, study_for_reader
from workers.tasks import enqueue


@login_required
@require_safe
def releases(request: PageRequest, slug: str) -> HttpResponse:
    """All releases of a study; admins ask for a new one."""
    return _list(request, study_for_reader(request.user, slug))


@login_required
@require_POST
def request_release(request: PageRequest, slug: str) -> HttpResponse:
    study = study_for_admin(request.user, slug)
    form = ReleaseForm(request.POST, study=study, label_suffix="")
    if form.is_valid():
        try:
            release = services.request_release(
                study=study,
                requested_by=membership(request.user, study, Role.ADMIN),
                after=typed_number(request.POST.get("after")),
                actor=Actor.of_request(request),
                **form.cleaned_data,
            )
        except DomainError as refused:
            form.add_error(None, in_language(refused))
        else:
            enqueue(release)
            return redirect("release", slug=slug, number=release.number)
    return _list(request, study, form=form, status=422)


@login_required
@require_safe
def release(request: PageRequest, slug: str, number: int) -> HttpResponse:
    """One release: what was found and is to be settled, its files and checksum, links, what changed."""
    return _page(request, one(study_for_reader(request.user, slug), number))


@login_required
@require_POST
def settle(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """What is said of each finding, and of ``rest`` for those of which nothing is said."""
    found = one(study_for_admin(request.user, slug), number)
    rest = request.POST.get("rest", "")
    verdicts = {
        finding.pk: Finding.Verdict(said)
        for finding in found.findings.all()
        if (said := request.POST.get(f"finding-{finding.pk}", rest)) in Finding.Verdict.values
    }
    if services.settle_findings(release=found, verdicts=verdicts, actor=Actor.of_request(request)):
        enqueue(found)
    else:
        messages.info(request, _("Saved. Some are not settled yet."))
    return redirect("release", slug=slug, number=number)


@login_required
@require_POST
def give_up(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    found = one(study_for_admin(request.user, slug), number)
    services.give_up_release(release=found, actor=Actor.of_request(request))
    return redirect("releases", slug=slug)


@login_required
@require_POST
def withdraw(request: PageRequest, slug: str, number: int) -> HttpResponse:
    found = one(study_for_admin(request.user, slug), number)
    form = WithdrawForm(request.POST, label_suffix="")
    if not form.is_valid():
        return _page(request, found, withdraw_form=form, status=422)
    services.withdraw_release(release=found, because=form.cleaned_data["because"], actor=Actor.of_request(request))
    messages.success(request, _("The release is withdrawn. Its number, checksum and the reason stay."))
    return redirect("release", slug=slug, number=number)


@login_required
@require_POST
def make_link(request: PageRequest, slug: str, number: int) -> HttpResponse:
    study = study_for_admin(request.user, slug)
    found = one(study, number)
    form = LinkForm(request.POST, label_suffix="")
    if not form.is_valid():
        return _page(request, found, link_form=form, status=422)
    admin = membership(request.user, study, Role.ADMIN)
    services.make_link(release=found, created_by=admin, actor=Actor.of_request(request), **form.cleaned_data)
    return redirect(reverse("release", args=[slug, number]) + "#links")


@login_required
@require_POST
def revoke_link(request: HttpRequest, slug: str, number: int, pk: int) -> HttpResponse:
    found = one(study_for_admin(request.user, slug), number)
    link = found.links.filter(pk=pk).select_related("release__study").first()
    if link is None:
        raise NotThereError("releases.link_over")
    services.revoke_link(link=link, actor=Actor.of_request(request))
    return redirect(reverse("release", args=[slug, number]) + "#links")


@login_required
@require_POST
def give_right(request: PageRequest, slug: str, number: int) -> HttpResponse:
    study = study_for_admin(request.user, slug)
    found = one(study, number)
    form = RightForm(request.POST, user=_user(request), label_suffix="")
    if form.is_valid():
        admin = membership(request.user, study, Role.ADMIN)
        try:
            rights.give_right(release=found, created_by=admin, actor=Actor.of_request(request), **form.cleaned_data)
        except InvalidInputError as refused:
            form.add_error(None, in_language(refused))
        else:
            return redirect(reverse("release", args=[slug, number]) + "#rights")
    return _page(request, found, right_form=form, status=422)


@login_required
@require_POST
def revoke_right(request: HttpRequest, slug: str, number: int, pk: int) -> HttpResponse:
    found = one(study_for_admin(request.user, slug), number)
    rights.revoke_right(right=rights.right_to(found, pk), actor=Actor.of_request(request))
    return redirect(reverse("release", args=[slug, number]) + "#rights")


@login_required
@require_safe
def download(request: PageRequest, slug: str, number: int) -> HttpResponse | StreamingHttpResponse:
    """The whole release as a ZIP file, for the study's researchers and admins, and whoever was given the right."""
    return sent(request, *rights.downloadable(_user(request), slug, number), actor=Actor.of_request(request))


@login_required
@require_safe
def one_file(request: PageRequest, slug: str, number: int, path: str) -> HttpResponse | StreamingHttpResponse:
    """A single file of the release, for the same."""
    release, right = rights.downloadable(_user(request), slug, number)
    return sent_part(request, release, path, right, actor=Actor.of_request(request))


@require_safe
def shared(request: HttpRequest, token: str) -> HttpResponse:
    """What a link leads to: what the release is, and a button."""
    return render(request, "releases/shared.html", {"release": services.link_of(token).release, "token": token})


@require_safe
def shared_download(request: HttpRequest, token: str) -> HttpResponse | StreamingHttpResponse:
    link = services.link_of(token)
    return sent(request, there(link.release), link, actor=Actor.of_request(request))


def _list(request: PageRequest, study: Study, form: ReleaseForm | None = None, status: int = 200) -> HttpResponse:
    member = membership(request.user, study, Role.RESEARCHER, Role.ADMIN)
    made = study.releases.order_by("-number")
    last = made.first()
    said = {} if last is None else {name: getattr(last, name) for name in ("authors", "licence", "description")}
    context = {
        "study": study,
        "is_admin": member.role == Role.ADMIN,
        "releases": made,
        "form": form or ReleaseForm(study=study, initial={"title": study.name, **said}, label_suffix=""),
    }
    return render(request, "releases/releases.html", context, status=status)


def _page(request: PageRequest, found: Release, status: int = 200, **refused: Any) -> HttpResponse:
    member = membership(request.user, found.study, Role.RESEARCHER, Role.ADMIN)
    context = {
        "study": found.study,
        "release": found,
        "is_admin": member.role == Role.ADMIN,
        "findings": found.findings.all() if found.status == Release.Status.DRAFT else (),
        "verdicts": Finding.Verdict,
        "worker": worker_state(),
        "link_form": LinkForm(label_suffix=""),
        "withdraw_form": WithdrawForm(label_suffix=""),
        "right_form": RightForm(user=_user(request), label_suffix=""),
    }
    if found.is_frozen and not request.htmx:
        context |= _of_frozen(request, found)
    return render(request, f"releases/release.html{'#live' if request.htmx else ''}", context | refused, status=status)


def _of_frozen(request: PageRequest, found: Release) -> dict[str, Any]:
    before = release_before(found)
    return {
        "files": files_in(found.folder),
        "not_packed": why_not_packed(found),
        "links": [(link, request.build_absolute_uri(_address(link))) for link in found.links.all()],
        "rights": found.rights.in_force().select_related("team"),
        **(compared(request, before, found) if before is not None and before.folder.is_dir() else {}),
    }


def _address(link: DownloadLink) -> str:
    return reverse("shared_release", args=[services.token_of(link)])


def _user(request: PageRequest) -> User:
    assert isinstance(request.user, User)  # login_required
    return request.user
