"""What the errors of this app say."""

from annotation_platform.core.reasons import add_sentences, ngettext_noop
from annotation_platform.core.reasons import gettext_noop as _
from annotation_platform.corpus import sentences_of_formats as sentences_of_formats

add_sentences(
    {
        "corpus.name_wrong": _("A corpus needs a name of 1 to 200 characters."),
        "corpus.name_taken": _("There is a corpus named “{name}” already. Choose another name."),
        "corpus.nothing_imported": ngettext_noop(
            "Nothing was imported: one mistake.", "Nothing was imported: {count:,} mistakes."
        ),
        "corpus.more_mistakes": _("… and {count:,} more."),
        "corpus.ratings_no_object": _("{field}: must be an object: worker → aspect → rating"),
        "corpus.ratings_of_worker_no_object": _("{field}.{worker}: must be an object: aspect → rating"),
        "corpus.ratings_without_aspect": _("{field}: the scheme has no aspect like {name!r}; it has {known}"),
        "corpus.label_no_choice": _("label: {label!r} names none of the {count} choices"),
        "corpus.no_article": _("the corpus has no article {name!r}"),
        "corpus.question_without_text": _("the question {name!r} has no text"),
        "corpus.part_blank": _("{what}: is blank (of {system!r})"),
        "corpus.hit_not_whole": _(
            "{annotator!r} judged {judged} of the {shown} answers of a HIT; missing: {not_judged}. Judgments "
            "come by whole HITs: add these, or leave out the others (the study's questions_per_hit is "
            "{questions_per_hit})"
        ),
        "corpus.hit_over_overlap": _("{count} annotators judged this HIT; the study's overlap is {overlap}"),
        "corpus.contains_itself": _("a part of it (a YAML anchor) contains itself"),
        "corpus.no_json": _("is not JSON ({why})"),
        "corpus.json_unread": _("cannot be read as JSON ({why})"),
        "corpus.key_twice": _("the key {key!r} is there twice in one mapping"),
        "corpus.too_deep": _("is nested more than {most} levels deep"),
        "corpus.too_many_parts": _("has more than {most:,} parts once its anchors are written out"),
        "corpus.no_yaml": _("is not YAML ({why})"),
        "corpus.yaml_unread": _("cannot be read as YAML ({why})"),
        "corpus.no_number_in_json": _("{name} is not a number in JSON"),
        "corpus.scheme_without_filled_aspect": _("has no aspect {key!r}, which the release fills"),
        "corpus.is_a_workbook": _("is a spreadsheet workbook ({kind}), {what}. {advice}"),
        "corpus.is_utf_16": _("is UTF-16 text. {advice}"),
        "corpus.file_gone": _("there is no such file, or no longer"),
        "corpus.file_unread": _("cannot be read ({why})"),
        "corpus.is_an_archive": _("is an archive (ZIP). Unpack it, and choose the files in it"),
        "corpus.no_text": _("is not UTF-8 text (byte {byte:,}): UTF-16, or no text at all. {advice}"),
        "corpus.no_utf_8": _("is not UTF-8 text (byte {byte:,}, line {line:,}): {guess}. {advice}"),
        "corpus.scheme_without_verdict": _("has no yes-or-no aspect of one answer, to hold the verdicts"),
        "corpus.field_blank": _("{field}: is blank"),
        "corpus.no_system_answers": _(
            "has no answer; each system's is in {answer}SYSTEM, its verdict in {verdict}SYSTEM"
        ),
        "corpus.field_no_text": _("{column}: must be text"),
        "corpus.field_no_flag": _("{column}: must be true or false"),
        "corpus.column_not_in_first_rows": _(
            "has {column!r}, which the first rows have not; put a row that has it among the first, or leave it "
            "out by mapping it to nothing"
        ),
        "corpus.question_blank": _("question: is blank, and so is question_id"),
        "corpus.annotator_blank": _("annotator: is blank, but the row has a judgment; say whose it is, or clear it"),
        "corpus.annotator_without_judgment": _(
            "annotator: is {annotator!r}, but the row has no judgment; clear it, or add the judgment"
        ),
        "corpus.no_seconds": _("seconds: {seconds!r} is not a time in seconds"),
        "corpus.no_moment": _(
            "judged_at: {at!r} is not a date and time such as 2024-05-31T09:30:00Z; leave the column out"
        ),
        "corpus.moment_in_future": _(
            "judged_at: {at!r} is read as {moment}, which is yet to come; write it as 2024-05-31T09:30:00Z"
        ),
        "corpus.slot_for_one_answer": _("{slot}: is for one answer, but the row has {count}; number it, as {slot}.1"),
        "corpus.slot_without_answer": _("{slot}: the row has {count} answers, and none of this number"),
        "corpus.document_unknown_key": _("documents: a document has no {key!r}; it has id, title, source, url, text"),
        "corpus.document_empty": _("documents: a document has neither text nor id"),
        "corpus.not_cut_into_sentences": _(
            "{column}: cannot be cut into sentences in the language {language!r}; give a list of sentences"
        ),
        "corpus.too_many_choices": _("choices: there are {count}; at most {most} can be named"),
        "corpus.value_no_text": _("{field}: must be text"),
        "corpus.value_no_whole_number": _("{field}: {value!r} is not a whole number from {least} to {most:,}"),
        "corpus.value_no_number": _("{field}: {value!r} is not a number"),
        "corpus.value_infinite": _("holds a number that is infinite, or none"),
        "corpus.number_of_many_digits": _("a number has more than {most:,} digits"),
        "corpus.label_studio_min": _(
            "data: is missing; this is Label Studio's JSON-MIN: give the labelling configuration (XML) with it, or "
            "read it as the format “table”"
        ),
        "corpus.label_studio_without_data": _("data: is missing; a task has its fields there"),
        "corpus.label_studio_annotations": _("annotations: must be a list of objects"),
        "corpus.label_studio_results": _("annotations.result: must be a list"),
        "corpus.label_studio_without_annotator": _("annotations.completed_by: has no number that says who judged"),
        "corpus.task_strange": _("is not built as this tool writes a task"),
        "corpus.config_strange": _("is not built as this tool writes its configuration"),
        "corpus.no_xml": _("is not XML ({why})"),
        "corpus.xml_entities": _("defines entities, which no labelling configuration needs"),
        "corpus.no_potato_config": _("has no annotation_schemes: it is no configuration of Potato"),
        "corpus.item_without_id": _("{key}: is missing; the configuration's item_properties say that the id is there"),
        "corpus.no_item_of_id": _("has answers to {id!r}, which is in none of the data files; give those files, too"),
        "corpus.no_text_of_doccano": _("text: is missing; projects about images or sound cannot come"),
        "corpus.no_text_of_prodigy": _("text: is missing; tasks about images or sound cannot come"),
        "corpus.no_uima_json": _("is not UIMA CAS JSON: it has no list of %FEATURE_STRUCTURES"),
        "corpus.answer_empty": _("an answer must not be empty"),
        "corpus.answer_malformed": _("must be text, or a mapping with 'text' and 'rationale'"),
        "corpus.sentences_and_text": _("has both 'sentences' and 'text'; give one of them"),
        "corpus.family_is_a_system": _("families: {family!r} is the name of a system; call the family otherwise"),
        "corpus.family_without_answers": _("families: {family}: no answer is by {system!r}"),
        "corpus.system_in_two_families": _("families: {system!r} is in {first!r} and in {second!r}"),
        "corpus.native_one_file": _(
            "The native format is one file for a study; import each file as a study of its own"
        ),
        "corpus.not_asked_unknown": _("the scheme {scheme!r} has no aspect {aspect!r}; it has {known}"),
        "corpus.article_name_reserved": _("an article is called {name!r} already; call it otherwise"),
        "corpus.nothing_to_judge": _("no question has an answer, so there is nothing to judge"),
        "corpus.sentence_empty": _("a sentence must not be empty"),
        "corpus.without_answers": _("has no answer, so there is nothing to judge"),
        "corpus.cells_differ": _("has {cells} cells; the first line names {columns} columns{quote}"),
        "corpus.line_too_long": _("has more than {most:,} characters"),
        "corpus.line_no_json": _("is not JSON ({why}); each line must be one whole object"),
        "corpus.too_many_keys": _("has {count:,} keys; at most {most:,} can be read"),
        "corpus.row_no_object": _("must be an object with columns as keys"),
        "corpus.list_broken": _("a comma or the list's end is missing"),
        "corpus.list_over": _("the list has ended, but the file goes on"),
        "corpus.rest_no_json": _("is not JSON ({why}); what follows was not read"),
        "corpus.without_rows": _("has no rows"),
        "corpus.sheet_without_rows": _("has no rows on the sheet that is read; its sheets are: {sheets}"),
        "corpus.there_already": _("{name} is there already ({where})"),
        "corpus.judged_unknown": _("the corpus has no {named} to {question!r} in {article!r}"),
        "corpus.rows_contradict": _("another row of the same judgment ({where}) says {before!r}"),
        "corpus.workbook_too_large": _("has {size:,.0f} MB; of a workbook at most {most:,.0f} MB are read. {advice}"),
        "corpus.workbook_unread": _("cannot be read as a workbook ({why}). {advice}"),
        "corpus.workbook_unpacks_too_large": _(
            "unpacks to {size:,.0f} MB in {parts:,} parts; at most {most:,.0f} MB in {most_parts:,} are read. {advice}"
        ),
        "corpus.no_sheet": _("has no sheet “{sheet}”; there are: {sheets}"),
        "corpus.no_cells": _("has no sheet with cells. {advice}"),
        "corpus.formulas_without_values": _("its formulas have no values, since nothing has computed them. {advice}"),
        "corpus.sheet_too_long": _("at most {most:,} rows of a sheet are read. {advice}"),
        "corpus.workbook_broken": _("cannot be read on as a workbook ({why}). {advice}"),
        "corpus.workbook_part_too_large": _("{part} has more than {most:,.0f} MB"),
        "corpus.no_cell": _("there is no cell {cell}"),
        "corpus.document_type": _("it declares a document type, which no workbook does"),
        "corpus.wrong_at": _("{where}: {why}"),
        "corpus.wrong_in_rows": _("{where}: {why} ({count:,} rows: {rows})"),
        "corpus.wrong_in_lines": _("{where}: {why} ({count:,} lines: {rows})"),
        "corpus.text_empty": _(
            "is empty, and the scheme asks for a text here. Write one, or let the scheme ask for none."
        ),
        "corpus.unstorable": _("holds a character that cannot be stored ({character})"),
        "corpus.too_many_side_by_side": _("{count} answers would be judged side by side; at most {most} can be"),
        "corpus.key_missing": _("this key is missing"),
        "corpus.key_unknown": _("the format has no such key"),
        "corpus.part_no_text": _("must be text, in quotes"),
        "corpus.part_empty": _("must not be empty"),
        "corpus.save_as_utf_8": _("Save it as UTF-8 (in Excel: “CSV UTF-8”) and import it again"),
        "corpus.save_each_sheet_as_csv": _(
            "Open it, save each sheet with “Save as” → “CSV UTF-8 (comma delimited)”, and import that"
        ),
        "corpus.workbook_not_read_here": _("which is not read here: a table may be an .xlsx without a password"),
        "corpus.perhaps_shift_jis": _("perhaps Shift_JIS, as spreadsheets write Japanese"),
        "corpus.perhaps_latin_1": _("perhaps Latin-1 or Windows-1252, as spreadsheets write it"),
        "corpus.save_sheet_as_csv": _("Save the sheet as “CSV UTF-8 (comma delimited)”, and import that"),
        "corpus.save_again": _("Open it in a spreadsheet program, save it as .xlsx, and import it again"),
        "corpus.row_too_long": _(
            "has {cells:,} cells; the first row names {columns:,} columns; name the others, or clear them"
        ),
        "corpus.cell_holds_error": _("{name}: holds the error {error}; mend the formula, or clear the cell"),
        "corpus.too_many_columns": _("names {count:,} columns; at most {most:,} can be read"),
        "corpus.column_twice": _("the column {column!r} is there twice; rename one"),
        "corpus.nested_too_deeply": _("is nested too deeply"),
        "corpus.put_in_quotes": _("; put text that has a comma or a line end in quotes"),
        "corpus.cell_too_long": _("has a cell of more than {most:,} characters; is a quote not closed?"),
        "corpus.no_csv": _("is not CSV ({why})"),
        "corpus.no_column_of_judgments": _(
            "{column!r} is taken for 'annotator', but no column for a judgment. Choose the columns that hold the "
            "judgments ({keys}), or leave {column!r} out"
        ),
        "corpus.no_column_of_annotators": _(
            "There are judgments, but no column is taken for 'annotator': say who judged"
        ),
        "corpus.text_not_cut": _("cannot be cut into sentences in the language {language!r}; give 'sentences' instead"),
        "corpus.no_anchor": _("there is no sentence {number}; the article has {count}"),
        "corpus.no_scheme": _(
            "No scheme is chosen; it says what the columns can hold. Choose a preset, or give a scheme of your own"
        ),
        "corpus.first_rows_too_wide": _("the first rows have {count:,} columns; at most {most:,} can be read"),
        "corpus.no_column_of_answers": _("no column is taken for 'answer' or 'answer.1' (answers); there are: {known}"),
        "corpus.no_column": _("there is no column {column!r}"),
        "corpus.no_column_but": _("there is no column {column!r}; {there_are}"),
        "corpus.no_field": _("there is no field {field!r} for {column!r}; there are: {known}"),
        "corpus.columns_for_one_field": _("{field!r} is taken from several columns ({columns}); choose one of them"),
        "corpus.no_column_for_field": _(
            "no column is taken for {field!r}, which is needed; choose one for it ({there_are})"
        ),
        "corpus.too_long": _("{field} has {length:,} characters; at most {most:,} fit"),
        "corpus.annotator_is_an_address": _(
            "{field} holds an e-mail address; what leaves a study names people by pseudonyms only; put one there"
        ),
        "corpus.said_otherwise": _(
            "{name} is there already with another {what} ({where}); say the same, leave it blank, or give it another "
            "name"
        ),
        "corpus.the_article": _("the article {name!r}"),
        "corpus.the_question": _("the question {name!r}"),
        "corpus.the_answer": _("the answer by {system!r}"),
        "corpus.answer_by": _("answer by {system!r}"),
        "corpus.an_answer": _("answer"),
        "corpus.judged_otherwise": _(", with another {keys}"),
        "corpus.judged_the_same": _(", and said the same"),
        "corpus.judged_already": _(
            "{annotator!r} judged this answer already ({where}){how}; a second judgment by the same person needs "
            "another 'replicate', or leave out one row"
        ),
        "corpus.part_judged_already": _(
            "{annotator!r} judged {part!r} already ({where}); a second judgment needs another 'replicate'"
        ),
        "corpus.in_its_words": _("{words}"),
        "corpus.quote_not_closed": _("opens a quote that nothing closes"),
        "corpus.goes_on_after_quote": _(
            "goes on after a closing quote; is a quote not closed, or one inside the text not doubled?"
        ),
        "corpus.no_mark": _("{field}: {mark!r} is neither 1, yes or true, nor 0, no or false"),
        "corpus.at_line": _("{file}, line {line:,}"),
        "corpus.at_row": _("{file}, row {row:,}"),
        "corpus.at_entry": _("{file}, entry {entry:,}"),
        "corpus.at_sheet": _("{file}, sheet “{sheet}”"),
        "corpus.at_part": _("{at}: {part}"),
        "corpus.the_scheme": _("scheme {key}"),
        "corpus.answer_to": _("{question} by {system}"),
        "corpus.row_too_wide": _("row {row:,} has more than {most:,} cells"),
        "corpus.part_title": _("title"),
        "corpus.part_source": _("source"),
        "corpus.part_url": _("address"),
        "corpus.part_text": _("text"),
        "corpus.part_question": _("text"),
        "corpus.part_anchor": _("sentence that raised it"),
        "corpus.part_choices": _("choices"),
        "corpus.part_turns": _("turns"),
        "corpus.text_and_turns": _("has a text and turns: give one of them"),
        "corpus.turn_empty": _("a turn has no text and calls no tool"),
        "corpus.part_reference_answers": _("reference answers"),
        "corpus.part_documents": _("documents"),
        "corpus.part_rationale": _("rationale"),
        "corpus.part_candidate": _("candidate's number"),
        "corpus.no_web_address": _("must be a web address that begins with http:// or https://"),
        "corpus.no_language": _("must be a language's code, such as en or ja"),
        "corpus.json_value_missing": _("a value is missing"),
        "corpus.json_comma_missing": _("a comma is missing, or a bracket"),
        "corpus.json_colon_missing": _("a colon is missing after a key"),
        "corpus.json_key_missing": _("a key in double quotes is missing"),
        "corpus.json_comma_left": _("there is a comma before a closing bracket"),
        "corpus.json_text_open": _("a text has no closing quote"),
        "corpus.json_control_character": _("a text holds a control character or a line end"),
        "corpus.json_escape": _("a text has a backslash that stands for nothing"),
        "corpus.json_goes_on": _("more follows after the end"),
    }
)
