"""Corpora: the list, and a new one from many rows at once."""

from contextlib import ExitStack
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.models import User
from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.corpora.receiving import SUFFIXES, Body, spooled, store_rows
from annotation_platform.api.corpora.serializers import AboutRows, CorpusRead, CorpusStored, told
from annotation_platform.api.frame.access import user_of
from annotation_platform.api.frame.pages import page
from annotation_platform.api.frame.schema import LISTING, listed
from annotation_platform.api.frame.serializers import names_of
from annotation_platform.api.frame.views import ApiView, actor_of
from annotation_platform.api.schemes.reading import USUAL_ROWS
from annotation_platform.core.errors import NotThereError
from annotation_platform.corpus.models import Corpus
from annotation_platform.studies.selectors import corpora_of
from annotation_platform.studies.services import delete_corpus

ABOUT = [
    OpenApiParameter("name", str, required=True, description="Of the new corpus."),
    OpenApiParameter("scheme", str, description=f"Preset that says what a row may hold; usually {USUAL_ROWS}."),
    OpenApiParameter("language", str, description="Of its texts; usually en."),
]


class Corpora(ApiView):
    scopes = {"GET": Scope.READ, "POST": Scope.MANAGE}
    _body: Body

    @extend_schema(responses=listed("Corpus", CorpusRead), parameters=LISTING, operation_id="corpora_list")
    def get(self, request: Request) -> Any:
        """The corpora that one may make studies of."""
        user = user_of(request)
        rows = corpora_of(user).order_by("pk")
        return page(request, rows, told, fields=names_of(CorpusRead))

    @extend_schema(
        request=dict.fromkeys(SUFFIXES, OpenApiTypes.BINARY),
        responses={201: CorpusStored},
        parameters=ABOUT,
        operation_id="corpora_create",
    )
    def post(self, request: Request) -> Response:
        """Store up to 100,000 items in a new corpus: lines of JSON, a list, or CSV; all of them or none.

        A row is one answer; its fields are those of an imported table (question, answer, system, article, …).
        """
        user = user_of(request)
        if not user.may_create_studies:
            raise NotThereError("api.no_corpora")
        about = AboutRows(data=request.query_params.dict())
        about.is_valid(raise_exception=True)
        corpus, counted = store_rows(body=self._body, owner=user, actor=actor_of(request), **about.validated_data)
        counted["warnings"] = [in_language(each) for each in counted["warnings"]]
        return Response({**told(corpus), **counted}, status=201)

    def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        with ExitStack() as self._files:
            return super().dispatch(request, *args, **kwargs)

    def body_digest(self, request: Request) -> str:
        """The body is read here, into a file, once it is known who sends it."""
        media_type = request.content_type.partition(";")[0].strip().lower()
        if media_type not in SUFFIXES:
            raise UnsupportedMediaType(media_type)
        self._body = self._files.enter_context(spooled(request._request, SUFFIXES[media_type]))
        return self._body.digest


class OneCorpus(ApiView):
    scopes = {"GET": Scope.READ, "DELETE": Scope.MANAGE}

    @extend_schema(responses=CorpusRead, operation_id="corpus_read")
    def get(self, request: Request, pk: int) -> Response:
        """A corpus by its key."""
        return Response(told(_corpus(user_of(request), pk)))

    @extend_schema(responses={204: None}, operation_id="corpus_delete")
    def delete(self, request: Request, pk: int) -> Response:
        """Delete a corpus that no study uses; for who stored it, and for the platform's staff."""
        user = user_of(request)
        corpus = _corpus(user, pk)
        if corpus.owner_id != user.pk and not user.is_staff:
            raise NotThereError("studies.corpus_of_another")
        delete_corpus(corpus=corpus, actor=actor_of(request))
        return Response(status=204)


def _corpus(user: User, pk: int) -> Corpus:
    if (corpus := corpora_of(user).filter(pk=pk).first()) is None:
        raise NotThereError("api.no_corpus")
    return corpus
