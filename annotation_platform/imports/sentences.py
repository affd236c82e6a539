"""What the errors of this app say."""

from annotation_platform.core.reasons import add_sentences, ngettext_noop
from annotation_platform.core.reasons import gettext_noop as _

add_sentences(
    {
        "imports.no_file": _("Choose a file first."),
        "imports.empty_file": _("“{name}” is empty."),
        "imports.files_too_large": _(
            "These files have {size:,.0f} MB; at most {most:,} MB can be uploaded. Use manage.py import_study on "
            "the server for larger ones."
        ),
        "imports.not_kept": _("The files could not be kept on the server: {why}."),
        "imports.no_upload": _(
            "There is no such upload, or it is not yours. An import takes it, and after a day without a new part it is "
            "forgotten. Begin it anew."
        ),
        "imports.upload_offset": _("The next part of this upload begins at byte {offset:,}, and not at {sent:,}."),
        "imports.part_too_long": _("This part ends at byte {end:,}, and the file at {size:,}."),
        "imports.uploads_too_large": _(
            "Your uploads would have {size:,.0f} MB together; at most {most:,} MB can wait at a time. Import one "
            "first, or give it up."
        ),
        "imports.offset_missing": _("Say in the header Upload-Offset at which byte of the file this part begins."),
        "imports.part_missing": _("Send the part as it is, with {media_type} as its type."),
        "imports.upload_unfinished": _("Of “{name}”, {offset:,} of {size:,} bytes have come. Send the rest first."),
        "imports.upload_differs": _(
            "What came of “{name}” is not what was announced: its SHA-256 is another one. It was forgotten; "
            "send it anew."
        ),
        "imports.upload_twice": _("An upload is named twice."),
        "imports.rows_unread": _("The rows could not be read."),
        "imports.name_missing": _("Give it a name first."),
        "imports.scheme_wrong": _("The scheme cannot be used as it is."),
        "imports.own_scheme": _("your scheme"),
        "imports.files_in_use": _("These files are being worked on at the moment. Wait until that is finished."),
        "imports.imported_already": _("These files were imported already. Upload them again to import them once more."),
        "imports.corpus_name_taken": _("There is a corpus named “{name}” already. Choose another name for the study."),
        "imports.no_import": _("There is no such import, or it is not yours."),
        "imports.found_judged": _("{questions} with {answers}; {judgments} by {annotators}."),
        "imports.found": _("{questions} with {answers}."),
        "imports.batches": _("Batches: {batches}."),
        "imports.batches_draft": _("{count:,} draft"),
        "imports.batches_open": _("{count:,} open"),
        "imports.batches_closed": _("{count:,} closed"),
        "imports.batches_scored": _("{count:,} scored"),
        "imports.left_out": _("Left out: {count:,} {what}."),
        "imports.questions": ngettext_noop("{count:,} question", "{count:,} questions"),
        "imports.answers": ngettext_noop("{count:,} answer", "{count:,} answers"),
        "imports.judgments": ngettext_noop("{count:,} judgment", "{count:,} judgments"),
        "imports.annotators": ngettext_noop("{count:,} annotator", "{count:,} annotators"),
        "imports.judgments_of_no_corpus": ngettext_noop(
            "The one judgment in the file does not belong to a corpus and is left out.",
            "The {count:,} judgments in the file do not belong to a corpus and are left out.",
        ),
        "imports.mistakes": ngettext_noop("{count:,} mistake", "{count:,} mistakes"),
    }
)
