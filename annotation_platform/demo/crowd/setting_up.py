"""What a researcher and an admin do before a crowd begins: terms, consent, a round, checks, pace, invitations."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.models import User
from annotation_platform.accounts.views import DEMO_DOMAIN
from annotation_platform.corpus.importers import FORMATS, Options, open_files, read_study
from annotation_platform.corpus.models import Answer, Corpus
from annotation_platform.crowd.checks.models import Action, Check
from annotation_platform.crowd.checks.services import NewCheck, add_checks, change_rule, mix_in
from annotation_platform.crowd.consent.services import publish_text
from annotation_platform.crowd.languages.services import require_languages
from annotation_platform.crowd.pacing.services import set_pacing
from annotation_platform.crowd.pay.services import set_terms
from annotation_platform.crowd.rounds.models import Round
from annotation_platform.crowd.rounds.selectors import items_of
from annotation_platform.crowd.rounds.services import RoundSettings, make_round, open_round, set_key
from annotation_platform.imports.storing import import_corpus
from annotation_platform.studies.building import build_study
from annotation_platform.studies.invitations import accept_invitation, create_invitation
from annotation_platform.studies.models import Member, Role, Study
from annotation_platform.studies.services import add_member

ACTOR = Actor.operator("prepare_demo")
ROUND = Path(__file__).resolve().parents[2] / "corpus" / "sample" / "crowd" / "round.yaml"
CONSENT = {
    "en": "You judge answers to questions about short articles that were made up for this demo. "
    "What you judge, when, and how long it takes is stored under a pseudonym.\n\n"
    "You can stop at any time. What you have submitted by then is paid, and stays.",
    "ja": "このデモのために作られた短い記事についての質問への回答を評価していただきます。"
    "評価の内容、日時、所要時間は仮名で保存されます。\n\n"
    "いつでもやめることができます。それまでに提出された分の報酬は支払われ、評価は保存されます。",
}
BY_NAME = ("Wren", "Magpie", "Teal", "Jay", "Knot", "Rook")  # who are invited by name; three more come by the link
BY_LINK = 3
CHECKS = (("tidal-mill", "q1"), ("tidal-mill", "q3"), ("cold-box", "q1"), ("cold-box", "q4"))
WRONG_SYSTEM = "alder"  # whose answers to these questions contradict the article
KEYS = (
    (
        {"correct": ["yes"], "completeness": ["complete", "missing_minor"]},
        False,
        "Piles and price: it is all there.",
    ),
    ({"completeness": ["missing_major", "missing_all"]}, False, "It says again that the loft stood there, not why."),
    ({"correct": ["no"], "completeness": ["missing_all"]}, True, "The question itself says what to choose."),
)


@dataclass(frozen=True)
class Crowd:
    """The study, who runs it, its round, and its annotators in the order in which they joined."""

    study: Study
    admin: Member
    researcher: Member
    round: Round
    annotators: list[Member] = field(default_factory=list)

    def named(self, pseudonym: str) -> Member:
        return next(each for each in self.annotators if each.pseudonym == pseudonym)


def by(member: Member) -> Actor:
    """They themselves."""
    return Actor.person(member.user_id)


def make(*, name: str, source: Study, users: Mapping[str, User]) -> Crowd:
    """A study of the sample's corpus that waits for its first release, with everybody who joined."""
    study = build_study(
        owner=users["admin"],
        name=name,
        corpus=source.corpus,
        definition=source.scheme_version.definition,
        actor=ACTOR,
        overlap=2,
        hits_per_batch=6,
        questions_per_hit=2,
        time_limit_minutes=30,
    )
    admin = study.members.get(user=users["admin"])
    Member.objects.filter(pk=admin.pk).update(pseudonym="Demo admin")
    researcher = add_member(
        study=study, user=users["researcher"], role=Role.RESEARCHER, pseudonym="Demo researcher", actor=by(admin)
    )
    _agree_on_pay(study, by(admin))
    publish_text(study=study, texts=CONSENT, actor=by(researcher))
    require_languages(study=study, codes=["en"], actor=by(researcher))
    _mix_checks(study, by(researcher))
    _pace(study, by(researcher))
    round_ = _round(study, users["researcher"], by(researcher))
    return Crowd(study, admin, researcher, round_, list(_join(study, users["annotator"], by(researcher))))


def _agree_on_pay(study: Study, actor: Actor) -> None:
    set_terms(
        study=study,
        currency="USD",
        reward=70,
        bonus_percent=20,
        returned_percent=50,
        hourly_floor=1500,
        budget=10_000,
        second_above=500,
        actor=actor,
    )


def _mix_checks(study: Study, actor: Actor) -> None:
    change_rule(
        study=study,
        every=1,
        action=Action.WARN,
        most_failed=1,
        least_percent=None,
        least_judged=3,
        words="You passed over an answer that contradicts its article. Please read the article before you judge.",
        actor=actor,
    )
    new = []
    for article, question in CHECKS:
        answer = Answer.objects.select_related("question__article__corpus").get(
            question__article__corpus=study.corpus_id,
            question__article__external_id=article,
            question__external_id=question,
            system__name=WRONG_SYSTEM,
        )
        new.append(NewCheck(answer.question, [answer], {"correct": ["no"]}, Check.Kind.GOLD))
    add_checks(study=study, new=new, actor=actor)
    mix_in(study=study, actor=actor)


def _pace(study: Study, actor: Actor) -> None:
    limits = {"agreement.completeness": 0.2, "attention": 0.6, "pay.hourly": 15.0}
    set_pacing(study=study, is_on=True, batches_at_once=1, every_hours=12, limits=limits, actor=actor)


def _round(study: Study, owner: User, actor: Actor) -> Round:
    settings = RoundSettings(
        title="First catch", least_percent=70, is_reviewed=True, attempts_allowed=2, shows_answers=True
    )
    made = make_round(
        study=study,
        corpus=_corpus_of_the_round(owner),
        definition=study.scheme_version.definition,
        settings=settings,
        questions_per_hit=len(KEYS),
        actor=actor,
    )
    for item, (raw, must_pass, why) in zip(items_of(made), KEYS, strict=True):
        set_key(round_=made, item=item, raw=raw, must_pass=must_pass, explanation=why, actor=actor)
    open_round(round_=made, actor=actor)
    return made


def _corpus_of_the_round(owner: User) -> Corpus:
    """What the file has, unless it is there from a study that was deleted since."""
    native = FORMATS["native"]
    with read_study(native, open_files(native, [ROUND]), Options()) as imported:
        name = imported.header.corpus_name
        if not Corpus.objects.filter(name=name).exists():
            import_corpus(imported=imported, name=name, owner=owner, actor=ACTOR)
    return Corpus.objects.get(name=name)


def _join(study: Study, demo_annotator: User, researcher: Actor) -> Iterable[Member]:
    for name in BY_NAME:
        email = f"{name.lower()}@{DEMO_DOMAIN}"
        user = User.objects.filter(email=email).first() or User.objects.create_user(email)
        yield add_member(study=study, user=user, role=Role.ANNOTATOR, pseudonym=name, actor=researcher)
    yield add_member(
        study=study, user=demo_annotator, role=Role.ANNOTATOR, pseudonym="Demo annotator", actor=researcher
    )
    link = create_invitation(study=study, role=Role.ANNOTATOR, note="on the notice board", actor=researcher)
    for number in range(1, BY_LINK + 1):
        user = User.objects.create_guest(f"Visitor {number}")
        yield accept_invitation(invitation=link, user=user, actor=Actor.person(user.pk))
