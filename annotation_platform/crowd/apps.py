from django.apps import AppConfig


class CrowdConfig(AppConfig):
    name = "annotation_platform.crowd"

    def ready(self) -> None:
        """Topics add their eligibility rules here."""
        from annotation_platform.crowd.languages.rules import languages
        from annotation_platform.studies.eligibility import add_rule

        add_rule("crowd.languages", languages)
