"""Reads: threads of a study and of a person, announcements that somebody has yet to see, frequent questions."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, F, Max, OuterRef, Q, QuerySet

from annotation_platform.accounts.models import User
from annotation_platform.annotations.models import Message, MessageRead
from annotation_platform.annotations.threads import Thread, unread_by_annotator
from annotation_platform.core.errors import NotThereError
from annotation_platform.crowd.talk.models import Announcement, AnnouncementReceipt, Audience, FaqEntry
from annotation_platform.studies.models import Assignment, Member, Role, Study

THREADS_ON_HOME = 3


@dataclass(frozen=True)
class ThreadRow:
    """A thread as a line of a list."""

    annotator: Member
    assignment: Assignment | None
    waits: int
    """How many of its words wait for an answer."""
    unread: int
    words: list[Message] = field(default_factory=list)

    @property
    def key(self) -> str:
        return f"{self.annotator.pk}-{self.assignment.pk if self.assignment else 0}"

    @property
    def last(self) -> Message:
        return self.words[-1]

    @property
    def last_at(self) -> datetime:
        return self.last.created_at


def threads_of_study(
    study: Study, reader: Member, *, only: str = "", about: str = "", search: str = ""
) -> QuerySet[Any, Any]:
    """The threads of a study and its rounds, those that wait for an answer first, then the newest.

    ``only``: ``waiting`` or ``unread``; ``about``: ``task`` or ``study``; ``search``: a piece of a word or pseudonym.
    """
    read = MessageRead.objects.filter(message=OuterRef("pk"), reader=reader)
    words = Message.objects.filter(_with_annotators_of(study))
    if about:
        words = words.filter(assignment__isnull=about == "study")
    threads = (
        words.annotate(is_read=Exists(read))
        .order_by()
        .values("annotator", "assignment")
        .annotate(
            last_pk=Max("pk"),
            waits=Count("pk", filter=Q(needs_answer=True)),
            unread=Count("pk", filter=Q(author=F("annotator"), is_read=False)),
        )
    )
    if search:
        found = Q(text__icontains=search) | Q(annotator__pseudonym__icontains=search)
        threads = threads.annotate(found=Count("pk", filter=found)).filter(found__gt=0)
    if only in ("waiting", "unread"):
        threads = threads.filter(**{"waits__gt" if only == "waiting" else "unread__gt": 0})
    return threads.order_by("-waits", "-last_pk")


def thread_in(study: Study, annotator: int, assignment: int) -> Thread:
    """One thread of a study, also one that nothing was said in yet; ``assignment`` 0 is about the study.

    What somebody said as an annotator, or is said about their work, can be answered after they got another role.

    Raises
    ------
    NotThereError
        When it is no thread of this study: of nobody in it, or about a task that the person had nothing to do with.
    """
    here = Q(study=study) | Q(study__qualifies_for=study)
    member = Member.objects.filter(here, pk=annotator).select_related("study").first()
    if member is not None and not assignment:
        about_study = Thread(member)
        if member.role == Role.ANNOTATOR or about_study.words.exists():
            return about_study
    places = Assignment.objects.select_related("hit__article", "hit__batch__study")
    if member is not None and (place := places.filter(hit__batch__study=member.study_id, pk=assignment).first()):
        is_theirs = place.annotator_id == member.pk
        if is_theirs or Message.objects.filter(assignment=place, annotator=member).exists():
            return Thread(member, place)
    raise NotThereError("crowd.no_thread")


def words_to_answer(study: Study) -> int:
    """How many words of a study's annotators wait for an answer."""
    return Message.objects.filter(_with_annotators_of(study), needs_answer=True).count()


def threads_beside_tasks(study: Study) -> int:
    """How many threads wait for an answer that are about no task of the study itself: about it, or about its rounds."""
    waiting = Message.objects.filter(_with_annotators_of(study), needs_answer=True)
    beside = waiting.filter(Q(assignment=None) | ~Q(assignment__hit__batch__study=study))
    return beside.order_by().values("annotator", "assignment").distinct().count()


def filled(threads: Iterable[dict[str, Any]]) -> list[ThreadRow]:
    """Threads with their words and what they are about, in three queries for all of them."""
    threads = list(threads)
    annotators = Member.objects.select_related("study").in_bulk({each["annotator"] for each in threads})
    places = {each["assignment"] for each in threads if each["assignment"]}
    assignments = Assignment.objects.select_related("hit__article", "hit__batch__study").in_bulk(places)
    of_these = Q(annotator__in=annotators) & (Q(assignment__in=places) | Q(assignment=None))
    words: defaultdict[tuple[int, int | None], list[Message]] = defaultdict(list)
    for word in Message.objects.filter(of_these).select_related("author", "item").order_by("pk"):
        words[word.annotator_id or 0, word.assignment_id].append(word)
    return [
        ThreadRow(
            annotators[each["annotator"]],
            assignments.get(each["assignment"]),
            each["waits"],
            each["unread"],
            words[each["annotator"], each["assignment"]],
        )
        for each in threads
    ]


def threads_of_annotator(user: Any) -> QuerySet[Any, Any]:
    """A person's own threads in all their studies, those with something unread first, then the newest."""
    read = MessageRead.objects.filter(message=OuterRef("pk"), reader=OuterRef("annotator"))
    mine = Q(annotator__user=user) | Q(annotator__former_user=user)
    return (
        Message.objects.filter(mine, annotator__role=Role.ANNOTATOR)
        .annotate(is_read=Exists(read))
        .order_by()
        .values("annotator", "assignment")
        .annotate(
            last_pk=Max("pk"),
            waits=Count("pk", filter=Q(needs_answer=True)),
            unread=Count("pk", filter=Q(is_read=False) & ~Q(author=F("annotator"))),
        )
        .order_by("-unread", "-last_pk")
    )


def annotates(user: Any) -> QuerySet[Member]:
    """As whom a user annotates or annotated, with how many frequent questions each study answers."""
    mine = Q(user=user) | Q(former_user=user)
    return (
        Member.objects.filter(mine, role=Role.ANNOTATOR, study__arriving_at=None, study__qualifies_for=None)
        .select_related("study")
        .annotate(faq_count=Count("study__faq"))
        .order_by("study__name")
    )


def as_annotator_now_or_before(user: Any, slug: str) -> Member:
    """As whom a user annotates a study, or did until they left.

    Raises
    ------
    NotThereError
        For everybody else.
    """
    member = annotates(user).filter(study__slug=slug).first()
    if member is None:
        raise NotThereError("studies.no_study")
    return member


def announcements_to(user: Any) -> QuerySet[Announcement]:
    """What was announced to a user as an annotator, also what they have put away."""
    members = Member.objects.filter(user=user, role=Role.ANNOTATOR)
    receipts = AnnouncementReceipt.objects.filter(announcement=OuterRef("pk"), member__in=members)
    addressed = Q(audience=Audience.ALL) | Exists(receipts)
    return Announcement.objects.filter(addressed, study__in=members.values("study"))


def announcements_for(user: Any, study: Study | None = None) -> QuerySet[Announcement]:
    """Of that, what they have yet to put away; of one study (of a round: the study it is for), or of all theirs."""
    put_away = AnnouncementReceipt.objects.filter(
        announcement=OuterRef("pk"), member__user=user, dismissed_at__isnull=False
    )
    shown = announcements_to(user).filter(~Exists(put_away), study__archived_at=None, ended_at=None)
    if study is not None:
        shown = shown.filter(study=study.qualifies_for_id or study.pk)
    return shown.select_related("study").order_by("pk")


def recipients_of(announcement: Announcement) -> list[User]:
    """Whom an announcement goes to by mail: those it is for, who have an address and did not decline such mails."""
    members = Member.objects.filter(study=announcement.study_id, role=Role.ANNOTATOR, user__is_active=True)
    if announcement.audience == Audience.AT_WORK:
        members = members.filter(announcement_receipts__announcement=announcement)
    declined = Q(user__mail_wishes__wants_announcements=False)
    users = [each.user for each in members.exclude(declined).select_related("user").order_by("pk")]
    return [user for user in users if user is not None and not user.is_guest]


@dataclass(frozen=True)
class Faq:
    """A frequent question in its reader's language, or in the one that it was written in."""

    pk: int
    question: str
    answer: str
    language: str


def faq_of(study: Study, language: str, search: str = "") -> list[Faq]:
    """A study's frequent questions that have every word searched for, in question or answer."""
    entries = [in_language_of_reader(each, language) for each in study.faq.all()]
    wanted = search.casefold().split()
    return [each for each in entries if all(word in f"{each.question} {each.answer}".casefold() for word in wanted)]


def in_language_of_reader(entry: FaqEntry, language: str) -> Faq:
    japanese = Faq(entry.pk, entry.question_ja, entry.answer_ja, "ja")
    english = Faq(entry.pk, entry.question_en, entry.answer_en, "en")
    first, second = (japanese, english) if language == "ja" else (english, japanese)
    return first if first.question else second


def home_card(user: User) -> dict[str, Any] | None:
    """What ``crowd/talk/_home.html`` shows: the newest unread threads, and ways to write and to look up answers."""
    members = list(annotates(user))
    if not members:
        return None
    unread = unread_by_annotator(user).count()
    threads = filled(threads_of_annotator(user)[:THREADS_ON_HOME])
    return {"members": members, "unread": unread, "threads": threads}


def _with_annotators_of(study: Study) -> Q:
    """Words exchanged in a study and in the rounds of its qualification."""
    return Q(annotator__study=study) | Q(annotator__study__qualifies_for=study)


def faq_entry_in(study: Study, pk: int) -> FaqEntry:
    """
    Raises
    ------
    NotThereError
        When the study has no entry of this key.
    """
    found: FaqEntry | None = study.faq.select_related("study").filter(pk=pk).first()
    if found is None:
        raise NotThereError("crowd.no_faq_entry")
    return found


def answer_in(study: Study, pk: int) -> Message | None:
    """A researcher's word in a thread of this study or its rounds, from which a frequent question grows.

    None: there is none.
    """
    answer = Message.objects.filter(_with_annotators_of(study), pk=pk).select_related("author").first()
    return None if answer is None or answer.is_annotators else answer
