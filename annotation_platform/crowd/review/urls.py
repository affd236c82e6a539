"""The pages about submitted work: the researcher's under a study's crowd, the annotator's under their work."""

from django.urls import URLPattern, path

from annotation_platform.crowd.review import own_page, page

study_urlpatterns: list[URLPattern] = [
    path("", page.reviews, name="reviews"),
    path("approve/", page.approve_many, name="approve_many"),
    path("<int:pk>/<int:member>/", page.review, name="review"),
    path("<int:pk>/<int:member>/decide/", page.decide, name="decide_review"),
]
work_urlpatterns: list[URLPattern] = [
    path("", own_page.my_submissions, name="my_submissions"),
    path("<int:pk>/", own_page.my_submission, name="my_submission"),
]
