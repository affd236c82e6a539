from django.apps import AppConfig


class ScorebackConfig(AppConfig):
    name = "annotation_platform.scoreback"

    def ready(self) -> None:
        from annotation_platform.annotations import scheme_following
        from annotation_platform.crowd.providers.vault.secrets import add_rotation
        from annotation_platform.scoreback import services

        add_rotation("scores back", services.rotate_keys)
        scheme_following.add_follower("scoreback", services.carry_aspects)
