from django.urls import path

from annotation_platform.api.members import views

_MEMBER = "studies/<slug:slug>/members/<int:pk>"
_INVITATIONS = "studies/<slug:slug>/invitations"
urlpatterns = [
    path("studies/<slug:slug>/members", views.Members.as_view(), name="api_members"),
    path(f"{_MEMBER}/pause", views.PauseMember.as_view(), name="api_pause_member"),
    path(f"{_MEMBER}/resume", views.ResumeMember.as_view(), name="api_resume_member"),
    path(f"{_MEMBER}/exclude", views.ExcludeMember.as_view(), name="api_exclude_member"),
    path(f"{_MEMBER}/readmit", views.ReadmitMember.as_view(), name="api_readmit_member"),
    path(f"{_MEMBER}/role", views.ChangeRole.as_view(), name="api_change_role"),
    path(f"{_MEMBER}/remove", views.RemoveMember.as_view(), name="api_remove_member"),
    path(f"{_MEMBER}/hand-over", views.HandOver.as_view(), name="api_hand_over"),
    path(f"{_MEMBER}/restore", views.RestoreMember.as_view(), name="api_restore_member"),
    path(_INVITATIONS, views.Invitations.as_view(), name="api_invitations"),
    path(f"{_INVITATIONS}/<int:pk>/revoke", views.RevokeInvitation.as_view(), name="api_revoke_invitation"),
]
