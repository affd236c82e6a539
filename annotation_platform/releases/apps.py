from django.apps import AppConfig


class ReleasesConfig(AppConfig):
    name = "annotation_platform.releases"

    def ready(self) -> None:
        from annotation_platform.crowd.home.own_data import add_part
        from annotation_platform.crowd.providers.vault.forgetting import add_follower_of_forgetting
        from annotation_platform.releases.freeze.forgetting import forget_participants
        from annotation_platform.releases.freeze.keeping import keeps_what_is_frozen
        from annotation_platform.releases.freeze.own_data import download_rights
        from annotation_platform.studies.protection import add_keeper

        add_keeper("releases.frozen", keeps_what_is_frozen)
        add_follower_of_forgetting("releases.participants", forget_participants)
        add_part("download_rights", download_rights)
