from django.apps import AppConfig


class ScoringConfig(AppConfig):
    name = "annotation_platform.scoring"

    def ready(self) -> None:
        from annotation_platform.annotations import scheme_following
        from annotation_platform.scoring.scheme_following import carry_rescalers, set_outdated

        scheme_following.add_follower("scoring.rescalers", carry_rescalers)
        scheme_following.add_follower("scoring.labels", set_outdated)
