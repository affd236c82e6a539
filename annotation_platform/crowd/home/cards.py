"""What topics show on the annotator's home, in this order; a new topic's card is one line here."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from django.template.loader import render_to_string

from annotation_platform.accounts.models import User
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.crowd.pay import selectors as pay
from annotation_platform.crowd.review import selectors as review
from annotation_platform.crowd.rounds import selectors as rounds
from annotation_platform.crowd.talk import selectors as talk


class HomeCard(NamedTuple):
    """A topic's section of the home: its template, and what gives the template's context; None: nothing to show."""

    template: str
    context_for: Callable[[User], dict[str, Any] | None]


CARDS: tuple[HomeCard, ...] = (
    HomeCard("crowd/review/_home.html", review.home_card),
    HomeCard("crowd/rounds/_home.html", rounds.home_card),
    HomeCard("crowd/talk/_home.html", talk.home_card),
    HomeCard("crowd/pay/_home.html", pay.home_card),
)


def cards_of(request: PageRequest) -> Iterator[str]:
    """The cards that have something to show this person, as HTML."""
    assert isinstance(request.user, User)  # only who has signed in has a home
    for card in CARDS:
        if (context := card.context_for(request.user)) is not None:
            yield render_to_string(card.template, context, request)
