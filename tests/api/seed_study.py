"""Run as a program: a study with something of everything; prints its slug and a token of each role."""

import json

import django

django.setup()

from django.core.files.uploadedfile import SimpleUploadedFile  # noqa: E402

from annotation_platform.analysis.snapshots.taking import take_snapshot  # noqa: E402
from annotation_platform.annotations.services import send_message_about_study  # noqa: E402
from annotation_platform.crowd.adjudication.services import adjudicate  # noqa: E402
from annotation_platform.crowd.consent.services import publish_text  # noqa: E402
from annotation_platform.crowd.languages.services import require_languages  # noqa: E402
from annotation_platform.crowd.monitor.measuring import measure  # noqa: E402
from annotation_platform.crowd.pay.services import collect_payment, correct  # noqa: E402
from annotation_platform.crowd.providers.prolific.orders import pay_bonuses  # noqa: E402
from annotation_platform.crowd.providers.results_file.services import take_over  # noqa: E402
from annotation_platform.crowd.talk.models import Audience  # noqa: E402
from annotation_platform.crowd.talk.services.announcements import announce  # noqa: E402
from annotation_platform.crowd.talk.services.faq import add_entry  # noqa: E402
from annotation_platform.imports.drafts import choose, receive_files  # noqa: E402
from annotation_platform.jobs.contract import run_job  # noqa: E402
from annotation_platform.releases.freeze.rights import give_right  # noqa: E402
from annotation_platform.releases.services import EXPORTS, request_export  # noqa: E402
from annotation_platform.scoring.models import ModelConnection  # noqa: E402
from annotation_platform.scoring.services import RUNS, start_run  # noqa: E402
from annotation_platform.studies.invitations import create_invitation  # noqa: E402
from annotation_platform.studies.models import Role  # noqa: E402
from annotation_platform.webhooks.services import add_webhook  # noqa: E402
from tests.api.clients import token_for  # noqa: E402
from tests.crowd.checks.pieces import add_some  # noqa: E402
from tests.crowd.pay.paying import agree  # noqa: E402
from tests.crowd.providers.pieces import connected, submission  # noqa: E402
from tests.crowd.providers.results import as_csv, row  # noqa: E402
from tests.crowd.rounds.pieces import go_through, new_round  # noqa: E402
from tests.factories import OPERATOR, MemberFactory, UserFactory, judgment, study_with_judgments  # noqa: E402
from tests.releases.freeze.frozen import frozen  # noqa: E402

study = study_with_judgments(name="Owls", annotators=3, hits_per_batch=1)
people = {
    role: MemberFactory(study=study, role=Role(role), pseudonym=f"the {role}")
    for role in ("admin", "researcher", "annotator")
}
run_job(RUNS, start_run(study=study, actor=OPERATOR).pk)
take_snapshot(study=study, resamples=10)
run_job(EXPORTS, request_export(study=study, requested_by=people["admin"], format="csv", actor=OPERATOR).pk)
create_invitation(study=study, role=Role.ANNOTATOR, actor=OPERATOR)
writer = study.members.get(pseudonym="A")
send_message_about_study(annotator=writer, author=writer, text="When is the pay?", actor=OPERATOR)
announce(author=people["admin"], text="Welcome.", audience=Audience.ALL, by_mail=False, actor=OPERATOR)
agree(study, bonus_percent=10)
correct(member=writer, amount=100, reason="Thanks.", actor=OPERATOR)
collect_payment(study=study, actor=OPERATOR)
add_some(study, 2)
visit = submission(connected(study))
pay_bonuses(connection=visit.connection, lines=[(visit, 100)], actor=OPERATOR)
measure(study)
go_through(new_round(study), people["annotator"])
add_entry(
    study=study, question_en="When is the pay?", answer_en="On Friday.", question_ja="", answer_ja="", actor=OPERATOR
)
publish_text(study=study, texts={"en": "What is kept.", "ja": "保存するもの。"}, actor=OPERATOR)
require_languages(study=study, codes=["en"], actor=OPERATOR)
release = frozen(study)
give_right(release=release, email="aya@example.org", created_by=people["admin"], actor=OPERATOR)
give_right(release=release, team=study, role=Role.ANNOTATOR, created_by=people["admin"], actor=OPERATOR)
add_webhook(study=study, address="https://example.org/", kinds=["batch.closed"], actor=OPERATOR)
upload = SimpleUploadedFile("quiz.csv", b"question,answer,system\nWhy?,So.,alder\n")
imported = receive_files(owner=people["admin"].user, uploads=[upload], target="study", actor=OPERATOR)
choose(job=imported, scheme="equivalence", columns={"answer": "answer"})
take_over(name="batch.csv", content=as_csv(row(1)), with_rejected=False, owner=people["admin"].user, actor=OPERATOR)
ModelConnection.objects.create(name="All", base_url="https://m.example.org/v1", model="m")
for name in ("admin", "researcher"):
    for item in study.items.order_by("pk")[:3]:
        adjudicate(
            item=item,
            adjudicator=people[name],
            raw=judgment(),
            scheme_signature=study.scheme_version.signature,
            actor=OPERATOR,
        )
users = {name: member.user for name, member in people.items()}
users |= {"stranger": UserFactory(), "operator": UserFactory(is_staff=True)}
print(json.dumps({"slug": study.slug, "tokens": {name: token_for(user) for name, user in users.items()}}))
