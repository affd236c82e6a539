"""What the errors of this app say."""

from annotation_platform.core.reasons import add_sentences, ngettext_noop
from annotation_platform.core.reasons import gettext_noop as _

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
        "corpus.slot_for_one_answer": _("{slot}: is for one answer, but the row has {count}; number it, as {slot}.1"),
        "corpus.slot_without_answer": _("{slot}: the row has only {count} answers"),
        "corpus.document_unknown_key": _("documents: a document has no {key!r}; it has id, title, source, url, text"),
        "corpus.document_empty": _("documents: a document has neither text nor id"),
        "corpus.not_cut_into_sentences": _(
            "{column}: cannot be cut into sentences in the language {language!r}; give a list of sentences"
        ),
        "corpus.too_many_choices": _("choices: there are {count}; at most {most} can be named"),
        "corpus.value_no_text": _("{field}: must be text"),
        "corpus.value_no_whole_number": _("{field}: {value!r} is not a whole number from {least} to {most:,}"),
        "corpus.label_studio_min": _(
            "data: is missing; this is Label Studio's JSON-MIN: give the labelling configuration (XML) with it, or "
            "read it as the format “table”"
        ),
        "corpus.label_studio_without_data": _("data: is missing; a task has its fields there"),
        "corpus.label_studio_annotations": _("annotations: must be a list of objects"),
        "corpus.label_studio_results": _("annotations.result: must be a list"),
        "corpus.label_studio_without_annotator": _("annotations.completed_by: has no number that says who judged"),
        "corpus.task_strange": _("is not built as this tool writes a task"),
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
        "corpus.unstorable": _("holds a character that cannot be stored ({character})"),
        "corpus.too_many_side_by_side": _("{count} answers would be judged side by side; at most {most} can be"),
        "corpus.key_missing": _("this key is missing"),
        "corpus.key_unknown": _("the format has no such key"),
        "corpus.part_no_text": _("must be text, in quotes"),
        "corpus.part_empty": _("must not be empty"),
        "corpus.save_as_utf_8": _("Save it as UTF-8 and import it again"),
        "corpus.save_each_sheet_as_csv": _(
            "Open it, save each sheet with “Save as” → “CSV UTF-8 (comma delimited)”, and import that"
        ),
        "corpus.workbook_not_read_here": _("which is not read here: a table may be an .xlsx without a password"),
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
            "{name} has another {what} ({where}); say the same, leave it blank, or give it another name"
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
        "corpus.part_question": _("question"),
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
        "corpus.workers_without_rating": _("workers without a rating"),
        "corpus.questions_improper": _("questions marked improper"),
        "corpus.answers_without_text": _("answers without a text"),
        "corpus.answers_without_verdict": _("answers without a verdict"),
        "corpus.column_for_nothing": _("values of “{column}”, a column that is taken for nothing"),
        "corpus.more_columns_for_nothing": _("values of {count:,} more such columns"),
        "corpus.annotations_cancelled": _("annotations that were cancelled"),
        "corpus.annotations_not_mapped": _("annotations without a result that is mapped"),
        "corpus.relations": _("relations between regions"),
        "corpus.control_not_read": _("parts of the form that a scheme cannot ask: {tag} ({where})"),
        "corpus.part_of_tag": _("{part} of {tag}"),
        "corpus.control_of_one_choice": _("questions with a single choice, which a scheme cannot ask: {control}"),
        "corpus.control_of_like_choices": _("questions whose choices differ in upper and lower case only: {control}"),
        "corpus.control_of_many_labels": _("questions with more than nine labels of spans: {control}"),
        "corpus.control_of_other_texts": _("spans in texts that stand side by side: {control}"),
        "corpus.names_of_annotators": _("names of annotators, who are called annotator-1, annotator-2, … here"),
        "corpus.tasks_ignored": _("tasks that were ignored"),
        "corpus.spans_suggested": _("spans of tasks that nobody has answered"),
        "corpus.tasks_rejected": _("tasks whose answer was rejected"),
        "corpus.annotations_of_layer": _("annotations of “{layer}” that are no spans"),
        "corpus.second_answers": _("second answers to “{control}” in one annotation"),
        "corpus.regions": _("spans or other regions of “{control}”"),
        "corpus.results_of_strange_type": _("results of “{control}”, whose type ({kind}) no scheme has"),
        "corpus.column_of_names": _("the column of the questions' names"),
        "corpus.lone_questions": _(
            "The same question stands under several names, and each has a single judge: "
            "{column} seems to number tasks, not questions, so no two people would have judged the same. "
            "Leave it out, and questions are told apart by their text"
        ),
        "corpus.single_judges": _("Every question has a single judge, so there is no agreement to measure"),
        "corpus.aspects_blank": ngettext_noop(
            "No row says anything about {titles}, so this aspect counts as never asked",
            "No row says anything about {titles}, so these {count:,} aspects count as never asked",
        ),
        "corpus.parquet_unread": _("cannot be read as Parquet ({why})"),
        "corpus.parquet_too_large": _("unpacks to {size:,.0f} MB, which is more than is read of Parquet; use CSV"),
        "corpus.parquet_too_long": _("has {count:,} rows, and at most {most:,} of a Parquet file are read; use CSV"),
        "corpus.parquet_end_missing": _("its end is missing; copy it again"),
        "corpus.parquet_damaged": _("a part of it is damaged; copy it again"),
        "corpus.no_order": _("{field}: {value!r} are no numbers of candidates with blanks between"),
        "corpus.order_of_others": _("says that the candidates {shown} were shown; the file has {there}"),
        "corpus.not_one_best": _("{count} rows of this group say that their candidate is the best; one must"),
        "corpus.aspect_lacking": ngettext_noop(
            "One judgment says nothing about {title}, which is asked for, so there it counts as never asked",
            "{count:,} judgments say nothing about {title}, which is asked for, so there it counts as never asked",
        ),
        "corpus.export_of_other_scheme": _(
            "The file was exported from a study under the scheme “{other}”, and is read here under “{key}”"
        ),
        "corpus.export_of_other_aspects": _(
            "The scheme has no place for these columns of the file: {columns}. It was exported under another scheme or "
            "another version of this one; what these columns say is left out"
        ),
        "corpus.export_without_texts": ngettext_noop(
            "Exports hold no texts of documents: one comes back without; cited sentences keep their numbers",
            "Exports hold no texts of documents: {count:,} come back without; cited sentences keep their numbers",
        ),
        "corpus.revisions_replaced": _("rows of revisions that others have replaced; the last ones count"),
        "corpus.revisions_renumbered": _("numbers of later revisions; each judgment comes back as a first one"),
        "corpus.scores_of_export": _("scores; score the new study again"),
        "corpus.field_question": _("Question"),
        "corpus.field_question_name": _("The question's own name"),
        "corpus.field_answer": _("Answer"),
        "corpus.field_rationale": _("Explanation that came with the answer"),
        "corpus.field_system": _("System that answered"),
        "corpus.field_numbered_answer": _("Answer {number}"),
        "corpus.field_numbered_system": _("System of answer {number}"),
        "corpus.field_choices": _("Choices, as a list"),
        "corpus.field_numbered_choice": _("Choice {number}"),
        "corpus.field_reference_answers": _("Reference answers, as a list"),
        "corpus.field_documents": _("Reference documents, as a list"),
        "corpus.field_article": _("Article: running text, or a list of sentences"),
        "corpus.field_article_name": _("The article's own name"),
        "corpus.field_article_title": _("The article's title"),
        "corpus.field_article_source": _("Where the article is from"),
        "corpus.field_article_url": _("The article's address"),
        "corpus.field_anchor": _("Number of the sentence that raised the question"),
        "corpus.field_annotator": _("Annotator's pseudonym"),
        "corpus.field_replicate": _("0, or 1, 2, … for repeated judgments"),
        "corpus.field_seconds": _("Time on task in seconds"),
        "corpus.field_judged_at": _("When it was judged"),
        "corpus.field_aspect_of_answer": _("{title} ({number})"),
        "corpus.field_mark": _("{label}: 1, yes or true"),
        "corpus.field_why": _("Why: {label}"),
        "corpus.field_answer_of_row": _("the row's answer {number}"),
        "corpus.field_choice_of_letter": _("choice {letter}"),
        "corpus.field_explanation": _("Explanation"),
        "corpus.field_right_choice": _("The right choice: index from 0, letter or text"),
        "corpus.field_row_name": _("The row's own name"),
        "corpus.field_explained_by": _("Where the explanation is from"),
        "corpus.field_worker_ratings": _("Ratings by worker and aspect"),
        "corpus.format_table": _("A table in our columns (CSV, TSV, JSON Lines, .xlsx, Parquet, Arrow)"),
        "corpus.format_native": _("The platform's own format (YAML or JSON)"),
        "corpus.format_ebr": _("The released EBR annotations (JSON)"),
        "corpus.format_acorn": _("ACORN: rated explanations (JSON Lines)"),
        "corpus.format_ecqa": _("Explained answers in the columns of ECQA or CoS-E (CSV, JSON Lines)"),
        "corpus.format_evouna": _("EVOUNA: answers with verdicts (JSON)"),
        "corpus.format_label_studio": _("Label Studio's export (JSON; with its configuration also JSON-MIN, CSV)"),
        "corpus.format_argilla": _("Argilla 2's dataset (settings.json and records.json)"),
        "corpus.format_potato": _("Potato's project (configuration, items and each user_state.json)"),
        "corpus.format_doccano": _("doccano's export (JSONL, JSON or CSV)"),
        "corpus.format_inception": _("INCEpTION's documents (UIMA CAS JSON)"),
        "corpus.format_prodigy": _("Prodigy's dataset (JSONL)"),
        "corpus.format_inspect": _("Logs of Inspect AI (.eval or JSON)"),
        "corpus.format_openai_evals": _("Logs of OpenAI evals (JSON Lines)"),
        "corpus.format_helm": _("Runs of HELM (scenario_state.json and the files beside it)"),
        "corpus.format_mt_bench": _("MT-Bench of FastChat (questions, answers, judgments)"),
        "corpus.format_arena": _("Votes of an arena (conversation_a, conversation_b, winner)"),
        "corpus.format_lm_eval": _("Samples of lm-evaluation-harness (JSON Lines, with the results)"),
        "corpus.no_lm_eval": _("is neither samples nor results of lm-evaluation-harness"),
        "corpus.further_replies": _("further replies to the same prompt"),
        "corpus.model_not_told": _(
            "No results file says which model wrote {file}, so the system is called “{system}”; add results_….json"
        ),
        "corpus.no_inspect_log": _("is no log of Inspect AI"),
        "corpus.log_too_large": _("has {size:,.0f} MB; at most {most:,.0f} MB of a JSON log are read; use .eval"),
        "corpus.archive_unread": _("cannot be unpacked ({why})"),
        "corpus.archive_too_large": _(
            "has {files:,} files that unpack to {size:,.0f} MB; at most {most_files:,} files of {most:,.0f} MB are read"
        ),
        "corpus.packed_too_large": _("unpacks to {size:,.0f} MB; at most {most:,.0f} MB are read"),
        "corpus.output_strange": _("does not have the parts that this format should have"),
        "corpus.arrow_unread": _("cannot be read as Arrow ({why})"),
        "corpus.arrow_too_large": _(
            "has more than {most:,} rows, or more than {size:,.0f} MB in one record batch; use Parquet"
        ),
        "corpus.field_conversation": _("conversation, the last turn of which is judged"),
        "corpus.field_numbered_conversation": _("conversation that ends in answer {number}"),
        "corpus.conversations_differ": _("has conversations that begin with different questions"),
        "corpus.no_conversation": _("is no list of messages"),
        "corpus.strange_role": _("has a message by {role!r}; known are {known}"),
        "corpus.names_of_assistants": _("names of assistants, which could tell annotators the system"),
        "corpus.parts_of_messages": _("parts of messages that are no text: {kind}"),
        "corpus.turns_after_the_answer": _("turns after those to judge"),
        "corpus.no_openai_evals": _("is no log of OpenAI evals"),
        "corpus.no_helm": _("is no file of a run of HELM"),
        "corpus.helm_without_state": _("has no requests: give scenario_state.json too"),
        "corpus.no_mt_bench": _("is no row of a file of MT-Bench"),
        "corpus.bench_lacks": _(
            "is about a question or an answer that is in none of the files:"
            " give question.jsonl and the files of answers too"
        ),
        "corpus.no_arena": _("lacks one of question_id, model_a, model_b, conversation_a, conversation_b"),
        "corpus.same_model_twice": _("compares “{system}” with itself"),
        "corpus.votes_need_groups": _(
            "votes which of two answers is better, which need a scheme that shows candidates"
        ),
        "corpus.scores_need_one_answer": _("scores of single answers, which need a scheme that shows one answer"),
        "corpus.votes_unread": _("votes and scores that say neither: {vote}"),
        "corpus.ties_without_place": _("ties, which the scheme has no place for"),
        "corpus.requests_of_references": _("requests that only compare how likely given answers are"),
        "corpus.samples_with_error": _("samples that ended with an error"),
        "corpus.outputs_without_answer": _("outputs without an answer"),
        "corpus.format_langfuse": _("Traces of Langfuse (JSON, JSON Lines or CSV)"),
        "corpus.format_phoenix": _("Spans of Arize Phoenix (Parquet, JSON, JSON Lines or CSV)"),
        "corpus.format_langsmith": _("Runs of LangSmith (JSON, JSON Lines, CSV or Parquet)"),
        "corpus.format_otel": _("Spans of OpenTelemetry (OTLP as JSON)"),
        "corpus.no_langfuse": _("is no trace, observation, score, or run over a data set, of Langfuse"),
        "corpus.no_phoenix": _("is no span of Phoenix; it has no trace_id or no span_kind"),
        "corpus.no_langsmith": _("is neither a run nor an example of LangSmith"),
        "corpus.no_otel": _("is no OTLP; it has neither resourceSpans nor resourceLogs"),
        "corpus.span_without_trace": _("does not say to which trace it belongs"),
        "corpus.steps_of_traces": _("steps of traces of the kind “{kind}”"),
        "corpus.scores_of_metric": _("scores of the metric “{metric}”"),
    }
)
