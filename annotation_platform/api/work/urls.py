from django.urls import path

from annotation_platform.api.work import exceptions, instructions, noticing, views

_TASK = "tasks/<int:pk>"
urlpatterns = [
    path("work", views.Work.as_view(), name="api_work"),
    path("work/<slug:slug>/take", views.TakeTask.as_view(), name="api_take_task"),
    path("work/<slug:slug>/read-note", views.ReadNote.as_view(), name="api_read_note"),
    path("work/<slug:slug>/instructions", instructions.Instructions.as_view(), name="api_instructions"),
    path("tasks", views.Tasks.as_view(), name="api_tasks"),
    path(_TASK, views.OneTask.as_view(), name="api_task"),
    path(f"{_TASK}/give-back", views.GiveBack.as_view(), name="api_give_back"),
    path(f"{_TASK}/more-time", exceptions.MoreTime.as_view(), name="api_more_time"),
    path(f"{_TASK}/messages", views.Messages.as_view(), name="api_messages"),
    path(f"{_TASK}/items/<int:position>/draft", views.Draft.as_view(), name="api_draft"),
    path(f"{_TASK}/items/<int:position>/hint", noticing.Hint.as_view(), name="api_hint"),
    path(f"{_TASK}/items/<int:position>/pasted", noticing.Pasted.as_view(), name="api_pasted"),
    path(f"{_TASK}/items/<int:position>/judgment", views.Judgment.as_view(), name="api_judgment"),
    path(f"{_TASK}/items/<int:position>/late-judgment", exceptions.LateJudgment.as_view(), name="api_late_judgment"),
    path(f"{_TASK}/items/<int:position>/drop-change", exceptions.DropChange.as_view(), name="api_drop_change"),
]
