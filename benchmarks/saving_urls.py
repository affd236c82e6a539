"""The platform's addresses plus the trivial view that saving is measured against."""

from django.http import HttpRequest, HttpResponse
from django.urls import include, path
from django.views.decorators.http import require_POST

from annotation_platform.annotations.models import Message
from annotation_platform.studies.models import Assignment


@require_POST
def trivial(request: HttpRequest) -> HttpResponse:
    """One SELECT and one INSERT, behind the same middleware and sign-in as the real page."""
    assert request.user.is_authenticated
    assignment = Assignment.objects.get(pk=request.POST["assignment"], annotator__user=request.user)
    assert assignment.annotator_id is not None
    Message.objects.create(assignment=assignment, author_id=assignment.annotator_id, text=request.POST["text"])
    return HttpResponse(status=204)


urlpatterns = [path("trivial/", trivial), path("", include("annotation_platform.urls"))]
