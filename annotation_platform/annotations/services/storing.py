"""Rows of a judgment: the revision, its ratings and the sentences that it cites; of a check, the revision alone."""

from collections.abc import Iterable

from annotation_platform.annotations.models import Annotation, Rating, SentenceReference
from annotation_platform.core.schemes import ItemShape, Scheme, citations, labels_given


def store_judgments(*, scheme: Scheme, judgments: Iterable[tuple[Annotation, ItemShape]]) -> list[Annotation]:
    """Store many checked revisions at once (imports, migrations), with their ratings and cited sentences."""
    pairs = list(judgments)
    Annotation.objects.bulk_create((annotation for annotation, _ in pairs), batch_size=1000)
    Rating.objects.bulk_create((r for a, shape in pairs for r in _ratings(scheme, a, shape)), batch_size=2000)
    SentenceReference.objects.bulk_create(
        (r for a, shape in pairs for r in _references(scheme, a, shape)), batch_size=2000
    )
    return [annotation for annotation, _ in pairs]


def store_revision(annotation: Annotation, *, scheme: Scheme, shape: ItemShape, replaces: int | None) -> Annotation:
    """Store one checked revision in the place of another, which counts no more."""
    if replaces is not None:
        Annotation.given.filter(pk=replaces).update(is_current=False)
    annotation.save(force_insert=True)
    Rating.objects.bulk_create(_ratings(scheme, annotation, shape))
    SentenceReference.objects.bulk_create(_references(scheme, annotation, shape))
    return annotation


def _ratings(scheme: Scheme, annotation: Annotation, shape: ItemShape) -> list[Rating]:
    given = [] if annotation.is_check else labels_given(scheme, annotation.values, shape)
    return [
        Rating(
            annotation=annotation,
            aspect=label.aspect,
            candidate=label.candidate,
            choice=label.choice,
            number=label.number,
        )
        for label in given
    ]


def _references(scheme: Scheme, annotation: Annotation, shape: ItemShape) -> list[SentenceReference]:
    cited = [] if annotation.is_check else citations(scheme, annotation.values, shape)
    return [
        SentenceReference(
            annotation=annotation,
            aspect=citation.aspect,
            candidate=citation.candidate,
            document=citation.document,
            number=citation.number,
        )
        for citation in cited
    ]
