"""Citations of documents are written in pieces: others write between them, and what was killed is written again."""

import pytest

from annotation_platform.analysis.explorer import indexing
from annotation_platform.analysis.models import ArticleCitations
from annotation_platform.annotations.models import Annotation
from annotation_platform.studies.models import Member
from tests.factories import make_corpus, study_with_judgments
from tests.studies.pieces import Killed, after_each_piece, killed_after, somebody_else

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.storage]


@pytest.mark.xdist_group("many connections")
def test_others_can_write_between_the_documents_and_what_was_killed_can_be_written_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(indexing, "DOCUMENTS_AT_ONCE", 2)
    study = study_with_judgments(annotators=2, corpus=make_corpus(articles=5, questions=1))
    indexing.write_citations(study)
    whole = list(ArticleCitations.objects.order_by("article").values("article", "judgments", "counts"))
    assert len(whole) == 5
    first, last = ArticleCitations.objects.order_by("article")[0], ArticleCitations.objects.order_by("article")[4]
    ArticleCitations.objects.exclude(pk=first.pk).delete()
    ArticleCitations.objects.filter(pk=first.pk).update(judgments=77, counts={})
    with pytest.raises(Killed), after_each_piece(killed_after(2)):
        indexing.write_citations(study)
    assert ArticleCitations.objects.count() == 4

    member = Member.objects.filter(study=study).first()
    assert member is not None
    someone = somebody_else(lambda: Member.objects.filter(pk=member.pk).update(pseudonym=member.pseudonym))
    with after_each_piece(someone) as pieces:
        indexing.write_citations(study)
    assert len(pieces) == 4
    assert list(ArticleCitations.objects.order_by("article").values("article", "judgments", "counts")) == whole
    Annotation.objects.filter(item__question__article=last.article_id).update(is_current=False)
    indexing.write_citations(study)
    assert ArticleCitations.objects.count() == 4
