"""Studies that pay."""

from annotation_platform.accounts.actors import Actor
from annotation_platform.crowd.pay.models import PayTerms
from annotation_platform.crowd.pay.services import set_terms
from annotation_platform.studies.models import Member, Study
from tests.factories import OPERATOR, make_corpus, open_study


def paying_study(*, overlap: int = 2, articles: int = 2, questions: int = 2, **terms: object) -> Study:
    """A study with a task for each article; a task pays $2, and by default nothing besides."""
    corpus = make_corpus(articles=articles, questions=questions, systems=["alder"])
    study = open_study(corpus=corpus, overlap=overlap, hits_per_batch=articles)
    agree(study, **terms)
    return study


def agree(study: Study, **terms: object) -> PayTerms:
    return set_terms(**{"study": study, "currency": "USD", "reward": 200, "actor": OPERATOR} | terms)  # type: ignore[arg-type]


def by(member: Member) -> Actor:
    return Actor.person(member.user_id)
