"""The addresses of checks. Annotators' have no word of them."""

from django.urls import path

from annotation_platform.crowd.checks import check_page, note_page, page

study_urlpatterns = [
    path("", page.checks, name="checks"),
    path("rule/", page.change_check_rule, name="change_check_rule"),
    path("mix/", page.mix_checks, name="mix_checks"),
    path("upload/", page.upload_checks, name="upload_checks"),
    path("results.csv", page.check_results, name="check_results"),
    path("new/", check_page.pick_check, name="pick_check"),
    path("new/<int:pk>/", check_page.new_check, name="new_check"),
    path("<int:pk>/", check_page.check, name="check"),
    path("<int:pk>/retire/", page.retire_check, name="retire_check"),
    path("actions/<int:pk>/undo/", page.undo_check_action, name="undo_check_action"),
]
work_urlpatterns = [path("<int:pk>/", note_page.work_note, name="work_note")]
