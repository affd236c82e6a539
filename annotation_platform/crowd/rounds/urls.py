"""The pages about rounds: the researcher's under a study's crowd, the annotator's under their work."""

from django.urls import URLPattern, path

from annotation_platform.crowd.rounds import key_page, own_page, page, review_page

study_urlpatterns: list[URLPattern] = [
    path("", page.rounds, name="rounds"),
    path("new/", page.new_round, name="new_round"),
    path("<int:pk>/", page.one_round, name="round"),
    path("<int:pk>/open/", page.open_round, name="open_round"),
    path("<int:pk>/end/", page.end_round, name="end_round"),
    path("<int:pk>/up/", page.move_round_up, name="move_round_up"),
    path("<int:pk>/confirm/", page.confirm, name="confirm_round"),
    path("<int:pk>/key/", key_page.key, name="round_key"),
    path("<int:pk>/key.csv", key_page.key_file, name="round_key_file"),
    path("<int:pk>/key/<int:number>/", key_page.item_key, name="round_item_key"),
    path("<int:pk>/by-hand/", review_page.by_hand, name="round_by_hand"),
    path("attempts/<int:pk>/", review_page.review, name="review_attempt"),
]
work_urlpatterns: list[URLPattern] = [
    path("", own_page.my_rounds, name="my_rounds"),
    path("<int:pk>/begin/", own_page.begin, name="begin_round"),
    path("attempts/<int:pk>/", own_page.my_attempt, name="my_attempt"),
]
