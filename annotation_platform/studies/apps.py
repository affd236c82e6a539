from django.apps import AppConfig


class StudiesConfig(AppConfig):
    name = "annotation_platform.studies"

    def ready(self) -> None:
        from annotation_platform.studies import eligibility, limits

        for rule in (limits.paused, limits.most_tasks, limits.most_tasks_a_day):
            eligibility.add_rule(f"studies.{rule.__name__}", rule)
