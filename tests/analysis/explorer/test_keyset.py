"""Pages by keyset, one after the other and back, are the list that the ORM sorts."""

import pytest

from annotation_platform.analysis.explorer.keyset import Order, keyset_page
from annotation_platform.annotations.models import Annotation
from tests.factories import make_corpus, study_with_judgments

pytestmark = [pytest.mark.django_db, pytest.mark.storage]

TIES_AND_GAPS = (1.5, None, 0.0, 1.5, 1.5, -2.25, 1 / 3, None, 0.0, 1e300)
ORDERS = [Order("pk"), Order("pk", descending=True), Order("pk", "seconds"), Order("pk", "seconds", descending=True)]


@pytest.mark.parametrize("order", ORDERS, ids=str)
@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_pages_forth_and_back_hold_each_row_once_and_in_order(order: Order, size: int) -> None:
    study_with_judgments(corpus=make_corpus(articles=1, questions=2), annotators=2)
    judgments = list(Annotation.objects.order_by("pk"))
    assert len(judgments) >= len(TIES_AND_GAPS)
    for number, judgment in enumerate(judgments):
        judgment.seconds = TIES_AND_GAPS[number % len(TIES_AND_GAPS)]
    Annotation.objects.bulk_update(judgments, ["seconds"])
    rows = Annotation.objects.filter(seconds__isnull=False)
    sign = "-" if order.descending else ""
    expected = list(rows.order_by(*(sign + name for name in order.columns)).values_list("pk", flat=True))

    pages, most = [keyset_page(rows, order, size=size)], len(expected) + 1  # else it goes round in a circle
    while pages[-1].later and len(pages) <= most:
        pages.append(keyset_page(rows, order, after=pages[-1].later, size=size))
    assert [key for page in pages for key in page.keys] == expected
    back = [pages[-1]]
    while back[-1].earlier and len(back) <= most:
        back.append(keyset_page(rows, order, before=back[-1].earlier, size=size))
    assert [key for page in reversed(back) for key in page.keys] == expected


@pytest.mark.parametrize("order", ORDERS, ids=str)
def test_nothing_has_one_empty_page(order: Order) -> None:
    page = keyset_page(Annotation.objects.all(), order, size=3)
    assert (page.keys, page.earlier, page.later) == ([], "", "")
