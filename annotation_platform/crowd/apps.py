from django.apps import AppConfig


class CrowdConfig(AppConfig):
    name = "annotation_platform.crowd"

    def ready(self) -> None:
        """Topics add their rules (who may take a task, what may be opened), and what follows a submitted task, here."""
        from annotation_platform.annotations.finishing import add_follower
        from annotation_platform.crowd.languages.rules import languages
        from annotation_platform.crowd.pay.budget import within_budget
        from annotation_platform.crowd.rounds.refusals import qualified
        from annotation_platform.crowd.rounds.services import finish_if_all_is_submitted
        from annotation_platform.studies import opening_rules
        from annotation_platform.studies.eligibility import add_rule

        add_rule("crowd.languages", languages)
        add_rule("crowd.rounds", qualified)
        opening_rules.add_rule("crowd.pay", within_budget)
        add_follower("crowd.rounds", finish_if_all_is_submitted)
