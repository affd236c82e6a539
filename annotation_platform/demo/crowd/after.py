"""What follows the work: approving and paying it, rejecting one task, deciding where opinions differ, and talking."""

from annotation_platform.annotations.services import send_message, send_message_about_study
from annotation_platform.crowd.adjudication.services import adjudicate
from annotation_platform.crowd.pay.models import PaymentLine
from annotation_platform.crowd.pay.paid_file import PaidRow
from annotation_platform.crowd.pay.services import approve_payment, collect_payment, credit_bonus, record_paid
from annotation_platform.crowd.review.services import appeal, approve_many, reject
from annotation_platform.crowd.talk.models import Audience
from annotation_platform.crowd.talk.services.announcements import announce
from annotation_platform.crowd.talk.services.faq import add_entry
from annotation_platform.demo.crowd.setting_up import Crowd, by
from annotation_platform.demo.crowd.work import HASTY
from annotation_platform.studies.models import Assignment, AssignmentState, Item, Member


def pay_first_batch(crowd: Crowd) -> None:
    """Its work is approved, its bonus credited; the researcher collects what is owed, the admin approves and pays."""
    researcher = crowd.researcher
    batch = crowd.study.batches.get(number=1)
    approve_many(assignments=_submitted(crowd, 1), by=researcher, actor=by(researcher))
    credit_bonus(batch=batch, actor=by(researcher))
    run = collect_payment(study=crowd.study, actor=by(researcher))
    approve_payment(run=run, actor=by(crowd.admin))
    lines = PaymentLine.objects.filter(run=run)
    record_paid(run=run, rows=[PaidRow(line, line.amount) for line in lines], actor=by(crowd.admin))


def review(crowd: Crowd) -> None:
    """Of the second batch some is approved and waits in a payment, one task is rejected with an appeal, one waits."""
    researcher = crowd.researcher
    places = _submitted(crowd, 2)
    hasty = next(place for place in places if _holder(place).pseudonym == HASTY)
    annotator = _holder(hasty)
    because = "All answers got the same labels and the same words, also one that contradicts the article."
    rejected = reject(assignment=hasty, because=because, by=researcher, actor=by(researcher))
    appeal(review=rejected, words="I did read the article. Which answer do you mean?", actor=by(annotator))
    fine = [place for place in places if place != hasty]
    approve_many(assignments=fine[:-1], by=researcher, actor=by(researcher))
    collect_payment(study=crowd.study, actor=by(researcher))
    _adjudicate_one(crowd)


def talk(crowd: Crowd) -> None:
    """A question that waits, one that was answered and became a frequent one, and a word to everybody."""
    study, researcher = crowd.study, crowd.researcher
    wren, magpie = crowd.named("Wren"), crowd.named("Magpie")
    under_way = Assignment.objects.get(hit__batch__study=study, annotator=wren, state=AssignmentState.CLAIMED)
    text = "The answer names a year that is not in the article. Is that “contradicts” or just more than was asked?"
    item = Item.objects.filter(hit=under_way.hit_id).order_by("position").first()
    send_message(assignment=under_way, author=wren, item=item, text=text, actor=by(wren))
    asked = send_message_about_study(
        annotator=magpie, author=magpie, text="When is the bonus of a batch paid?", actor=by(magpie)
    )
    words = "It is credited once the batch has closed and your tasks in it are approved, and is in the next payment."
    send_message_about_study(annotator=magpie, author=researcher, text=words, actor=by(researcher))
    add_entry(
        study=study,
        grown_from=asked,
        question_en="When is the bonus of a batch paid?",
        answer_en=words,
        question_ja="バッチのボーナスはいつ支払われますか。",
        answer_ja="バッチが終了し、その中のあなたのタスクが承認されると計上され、次回の支払いに含まれます。",
        actor=by(researcher),
    )
    announcement = "A new batch opens every twelve hours. Thank you for your careful explanations!"
    announce(author=researcher, text=announcement, audience=Audience.ALL, by_mail=False, actor=by(researcher))


def _adjudicate_one(crowd: Crowd) -> None:
    item = Item.objects.filter(hit__batch__study=crowd.study, hit__batch__number=1).order_by("pk").first()
    assert item is not None
    adjudicate(
        item=item,
        adjudicator=crowd.researcher,
        raw={
            "correct": "no",
            "completeness": "missing_all",
            "sentences": [5],
            "reasons": "Sentence 5 names the storm and the price of mending; the sea is not said to have changed.",
        },
        scheme_signature=crowd.study.scheme_version.signature,
        note="Whoever says “misses some” took the closing itself for the reason.",
        actor=by(crowd.researcher),
    )


def _submitted(crowd: Crowd, batch: int) -> list[Assignment]:
    places = Assignment.objects.filter(
        hit__batch__study=crowd.study, hit__batch__number=batch, state=AssignmentState.SUBMITTED
    )
    return list(places.select_related("annotator").order_by("submitted_at", "pk"))


def _holder(place: Assignment) -> Member:
    assert place.annotator is not None
    return place.annotator
