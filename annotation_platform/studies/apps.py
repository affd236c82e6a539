from django.apps import AppConfig


class StudiesConfig(AppConfig):
    name = "annotation_platform.studies"

    def ready(self) -> None:
        from annotation_platform.studies import eligibility, eligibility_rules

        for rule in (eligibility_rules.excluded, eligibility_rules.paused):
            eligibility.add_rule(f"studies.{rule.__name__}", rule, in_rounds_too=True)
        for rule in (
            eligibility_rules.most_tasks,
            eligibility_rules.most_tasks_a_day,
            eligibility_rules.far_ahead,
        ):
            eligibility.add_rule(f"studies.{rule.__name__}", rule)
