from django.apps import AppConfig


class CrowdConfig(AppConfig):
    name = "annotation_platform.crowd"

    def ready(self) -> None:
        """Topics add their rules here: who may take a task, and what keeps a batch from being opened."""
        from annotation_platform.crowd.pay.budget import within_budget
        from annotation_platform.studies import opening_rules

        opening_rules.add_rule("crowd.pay.budget", within_budget)
