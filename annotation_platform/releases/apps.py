from django.apps import AppConfig


class ReleasesConfig(AppConfig):
    name = "annotation_platform.releases"

    def ready(self) -> None:
        from annotation_platform.releases.freeze.keeping import keeps_what_is_frozen
        from annotation_platform.studies.protection import add_keeper

        add_keeper("releases.frozen", keeps_what_is_frozen)
