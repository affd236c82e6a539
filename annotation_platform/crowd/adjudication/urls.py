"""The pages of adjudication under a study's crowd."""

from django.urls import URLPattern, path

from annotation_platform.crowd.adjudication import page

study_urlpatterns: list[URLPattern] = [
    path("", page.adjudication, name="adjudication"),
    path("decisions.csv", page.adjudication_file, name="adjudication_file"),
    path("<int:pk>/", page.adjudicate_item, name="adjudicate"),
    path("<int:pk>/gold/", page.make_item_gold, name="make_item_gold"),
]
