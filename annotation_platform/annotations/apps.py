from django.apps import AppConfig


class AnnotationsConfig(AppConfig):
    name = "annotation_platform.annotations"

    def ready(self) -> None:
        from annotation_platform.annotations import scheme_following
        from annotation_platform.annotations.services.hints import carry_hints

        scheme_following.add_follower("annotations.hints", carry_hints)
