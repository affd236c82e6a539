"""What is judged: documents in numbered sentences, questions about them, and the answers of systems.

Questions about no document stand under an article without sentences, whose scheme does not show it.
"""

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Upper
from django.utils.translation import gettext as _

from annotation_platform.accounts.models import User
from annotation_platform.core.turns import Turn, turns_of

NO_DOCUMENT = "questions"  # the external_id of the article that questions about none stand under


class ArrivedManager(models.Manager["Corpus"]):
    def get_queryset(self) -> models.QuerySet["Corpus"]:
        return super().get_queryset().filter(arriving_at=None)


class Corpus(models.Model):
    """Texts to judge. One that is still arriving is known to nobody but the import that stores it."""

    name = models.CharField(max_length=200, unique=True)
    language = models.CharField(max_length=8, default="en")
    owner = models.ForeignKey(
        User, on_delete=models.SET_NULL, null=True, blank=True, related_name="corpora", help_text="Who imported it."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    has_turns = models.BooleanField(default=False, help_text="Whether some of it are conversations.")
    has_metrics = models.BooleanField(default=False, help_text="Whether some answers came with automatic metrics.")
    arriving_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="Last sign of life of the import; empty once all is there."
    )

    objects = ArrivedManager()
    every: "models.Manager[Corpus]" = models.Manager()

    class Meta:
        verbose_name_plural = "corpora"

    def __str__(self) -> str:
        return self.name


ABOUT_NONE = Q(external_id=NO_DOCUMENT, title="", sentence_count=0)
"""Of articles: the one that questions about none stand under."""


class Article(models.Model):
    """A document. One without sentences is withheld by its publisher: its questions can still be judged."""

    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE, related_name="articles")
    external_id = models.CharField(max_length=200)
    title = models.CharField(max_length=500, blank=True)
    source = models.CharField(max_length=500, blank=True)
    url = models.URLField(max_length=500, blank=True)
    position = models.PositiveIntegerField()
    sentence_count = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["position"]
        constraints = [models.UniqueConstraint(fields=["corpus", "external_id"], name="article_once_in_corpus")]
        indexes = [models.Index(Upper("external_id"), name="article_by_external_id")]

    def __str__(self) -> str:
        if not self.title and not self.sentence_count and self.external_id == NO_DOCUMENT:
            return _("Questions without a document")
        return self.title or _("Article %(name)s") % {"name": self.external_id}


class Sentence(models.Model):
    article = models.ForeignKey(Article, on_delete=models.CASCADE, related_name="sentences")
    number = models.PositiveIntegerField(help_text="From 1, as shown to annotators.")
    text = models.TextField()

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["article", "number"], name="sentence_number_once_in_article"),
            models.CheckConstraint(condition=Q(number__gte=1), name="sentence_numbers_start_at_1"),
        ]

    def __str__(self) -> str:
        return f"{self.number}. {self.text}"


class Question(models.Model):
    article = models.ForeignKey(Article, on_delete=models.CASCADE, related_name="questions")
    external_id = models.CharField(max_length=200)
    position = models.PositiveIntegerField()
    text = models.TextField()
    anchor = models.PositiveIntegerField(
        null=True, blank=True, help_text="Number of the sentence that raised the question, if known."
    )
    turns = models.JSONField(
        null=True,
        blank=True,
        help_text="Of a conversation: the turns before what is judged, which the text has as one; see core/turns.py.",
    )
    choices = models.JSONField(default=list, blank=True, help_text="Of a multiple-choice question: texts, in order.")
    reference_answers = models.JSONField(default=list, blank=True, help_text="Answers known to be right: texts.")
    documents: "models.ManyToManyField[Article, ReferenceDocument]" = models.ManyToManyField(
        Article, through="ReferenceDocument", related_name="questions_referring"
    )

    class Meta:
        ordering = ["article", "position"]
        constraints = [models.UniqueConstraint(fields=["article", "external_id"], name="question_once_in_article")]

    def __str__(self) -> str:
        return self.text

    @property
    def talk(self) -> tuple[Turn, ...]:
        """The conversation before the answer; empty where a text is all there is."""
        return turns_of(self.turns)

    @property
    def asked(self) -> str:
        """The text; of a conversation its last turn."""
        return self.talk[-1].words if self.turns else self.text


class ReferenceDocument(models.Model):
    """An article that a question's answers can be checked against; ``number`` is its name (R1, R2, …) on the page."""

    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="reference_documents")
    article = models.ForeignKey(Article, on_delete=models.CASCADE, related_name="references")
    number = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["question", "number"]
        constraints = [
            models.UniqueConstraint(fields=["question", "number"], name="reference_number_once_in_question"),
            models.UniqueConstraint(fields=["question", "article"], name="reference_once_in_question"),
        ]

    def __str__(self) -> str:
        return f"R{self.number}"


class System(models.Model):
    """Who or what wrote an answer: a model, a prompt, a person. Annotators never see it."""

    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE, related_name="systems")
    name = models.CharField(max_length=200)
    family = models.CharField(
        max_length=200, blank=True, help_text="Systems of one family (versions, experts) are also counted together."
    )

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["corpus", "name"], name="system_once_in_corpus")]

    def __str__(self) -> str:
        return self.name


class Answer(models.Model):
    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="answers")
    system = models.ForeignKey(System, on_delete=models.PROTECT, related_name="answers")
    text = models.TextField()
    rationale = models.TextField(blank=True, help_text="The explanation that came with the answer.")
    turns = models.JSONField(
        null=True, blank=True, help_text="The turns to judge, where they are more than a plain text; see core/turns.py."
    )
    metrics = models.JSONField(
        null=True, blank=True, help_text="What automatic metrics said of it elsewhere: format of the file, name, value."
    )

    class Meta:
        ordering = [F("question"), F("system")]
        constraints = [models.UniqueConstraint(fields=["question", "system"], name="answer_once_by_system")]

    def __str__(self) -> str:
        return self.text

    @property
    def talk(self) -> tuple[Turn, ...]:
        """The turns to judge; empty where a text is all there is."""
        return turns_of(self.turns)


class AnswerTrace(models.Model):
    """Where a program that watches models keeps the record that an answer is from, so that scores can go back there."""

    answer = models.OneToOneField(Answer, on_delete=models.CASCADE, related_name="traced")
    tool = models.CharField(max_length=20, help_text="The format of the file that it came with.")
    trace = models.CharField(max_length=200)
    span = models.CharField(max_length=200, blank=True, help_text="Empty: the trace as a whole.")
    project = models.CharField(max_length=200, blank=True)

    def __str__(self) -> str:
        return f"{self.tool} {self.trace} {self.span}".strip()
