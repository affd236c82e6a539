from django.apps import AppConfig


class CrowdConfig(AppConfig):
    name = "annotation_platform.crowd"

    def ready(self) -> None:
        """Topics add their eligibility rules, steps and ways back here."""
        from annotation_platform.crowd import endings
        from annotation_platform.crowd.consent import rules as consent
        from annotation_platform.crowd.providers.prolific import visiting, visits
        from annotation_platform.studies import eligibility, steps

        eligibility.add_rule("crowd.consent", consent.consent)
        steps.add_step("crowd.consent", consent.page_of_consent)
        steps.add_way_out("crowd.prolific", visiting.way_out)
        endings.add_way_back("crowd.prolific", visits.end)
