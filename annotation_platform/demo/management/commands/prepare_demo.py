"""``manage.py prepare_demo``: the database, the sample study and its three people; what is there already stays."""

from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand

from annotation_platform.accounts.models import User
from annotation_platform.accounts.views import DEMO_DOMAIN, DEMO_ROLES
from annotation_platform.scoring.models import RunStatus
from annotation_platform.studies.models import Role, Study
from annotation_platform.studies.services import add_member

STUDY = "Town and tide"
SAMPLE = Path(__file__).resolve().parents[3] / "corpus" / "sample" / "ebr.yaml"


class Command(BaseCommand):
    help = "Prepare the demo: migrate the database, load the sample study, add an annotator, a researcher, an admin."

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write("Preparing the database …")
        call_command("migrate", interactive=False, verbosity=0)
        call_command("build_assets", stdout=self.stdout)
        users = {role: self._user(role) for role in DEMO_ROLES}
        study = Study.objects.filter(name=STUDY).first()
        if study is None:
            self.stdout.write("Loading the sample study …")
            call_command(
                "import_study", "native", str(SAMPLE), name=STUDY, owner=users["admin"].email, stdout=self.stdout
            )
            study = Study.objects.get(name=STUDY)
            study.members.filter(user=users["admin"]).update(pseudonym="Demo admin")
        for role, user in users.items():
            if not study.members.filter(user=user).exists():
                add_member(study=study, user=user, role=Role(role), pseudonym=f"Demo {role}")
        if not study.scoring_runs.filter(status=RunStatus.DONE).exists():
            self.stdout.write("Scoring the closed batches of the sample …")
            call_command("score_study", STUDY, method="ebr", scorer="distilled", stdout=self.stdout)

    @staticmethod
    def _user(role: str) -> User:
        """Somebody without a password: the demo's sign-in buttons are the only way in."""
        email = f"{role}@{DEMO_DOMAIN}"
        found = User.objects.filter(email=email).first()
        return found or User.objects.create_user(email, is_staff=role == "admin", is_superuser=role == "admin")
