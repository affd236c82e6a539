"""What decides a run's scores. Each method has parameters of its own; what all share stands here.

Resolved once, when a run starts, and stored with it: a run that is resumed uses what it began with. Keys of
model servers are no parameters; they stay in the environment.
"""

from collections.abc import Container, Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from django.conf import settings
from django.core.exceptions import ValidationError as FieldError
from django.db.models import QuerySet
from django.utils.translation import gettext
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.reasons import Reason
from annotation_platform.core.reasons import gettext_noop as _
from annotation_platform.scoring.models import ModelConnection, ScoringSettings
from annotation_platform.scoring.models.connections import HIGHEST_PRICE, validate_address
from annotation_platform.scoring.options import Ask, Option, fields_of, options_of
from annotation_platform.studies.models import Study

OPENAI_URL = "https://api.openai.com/v1"


class WrongParametersError(InvalidInputError):
    """Parameters that do not fit: what is wrong with which, by name."""

    def __init__(self, wrong: Mapping[str, str]) -> None:
        self.wrong = wrong
        mistakes = [f"{name}: {words}" for name, words in wrong.items()]
        super().__init__("scoring.parameters_wrong", reasons=mistakes, mistakes="; ".join(mistakes))


class Parameters(BaseModel):
    """Those of a kind of run: see `options` for what is declared with each."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_by_name=True, validate_by_alias=True)

    settled: ClassVar[frozenset[str]] = frozenset()
    """Options of an inner model or a parent that people may not set here."""

    @classmethod
    def options(cls) -> dict[str, Option]:
        """What people may set, by name."""
        return {option.name: option for option in options_of(cls) if option.name not in cls.settled}

    @classmethod
    def checked(cls, **found: Any) -> Self:
        """
        Raises
        ------
        InvalidInputError
            With each parameter that is missing, unknown or out of range.
        """
        try:
            return cls(**found)
        except ValidationError as error:
            raise wrong_parameters(error) from None

    def stored(self) -> dict[str, Any]:
        """As kept with the run."""
        return self.model_dump(mode="json", by_alias=True)

    def deciding(self) -> dict[str, Any]:
        """The part that decides the scores, which is what signatures are made of."""
        pace = pace_of(type(self))
        return {name: value for name, value in self.stored().items() if name not in pace}


def pace_of(model: type[Parameters]) -> frozenset[str]:
    """By which way, how fast and at what price a model is asked: no part of what decides the scores."""
    return frozenset(option.name for option in options_of(model) if not option.ask.decides)


def usable_connections(study: Study) -> dict[str, Any]:
    connections = list(ModelConnection.objects.usable_in(study).values_list("name", "model"))
    only = connections[0][0] if connections and not settings.OPENAI_MODEL else ""  # the environment asks nobody
    environment = gettext("The server's environment: it names no model (OPENAI_MODEL)")
    if settings.OPENAI_MODEL:
        environment = gettext("The server's environment: %(model)s") % {"model": settings.OPENAI_MODEL}
    return {
        "choices": (("", environment), *((name, f"{name}: {model}") for name, model in connections)),
        "initial": ScoringSettings.of(study).connection or only,
    }


FORMATS = {
    "text": _("Free text, as the papers had it"),
    "json_schema": _("JSON, to which the server holds the model by a schema"),
}


def formats_in(study: Study) -> dict[str, Any]:
    as_tried = gettext("JSON by schema where “Try it” found that the connection's server takes it, else free text")
    return {"choices": (("", as_tried), *((value, gettext(label)) for value, label in FORMATS.items()))}


PACE = Ask(on_page=False, decides=False)


class ModelCall(Parameters):
    """A language model behind an OpenAI-compatible address; without a connection, as OPENAI_… say."""

    connection: Annotated[str, Ask(in_study=usable_connections, decides=False)] = Field(
        default="", title=_("Model connection"), description=_("Address, model, key, prices and limits, by its name.")
    )
    model: Annotated[str, Ask(on_page=False, usual=_("the connection's, or OPENAI_MODEL"))] = Field(
        min_length=1, title=_("Model"), description=_("Its name at the server.")
    )
    base_url: Annotated[str, Ask(on_page=False, usual="OPENAI_BASE_URL")] = Field(
        title=_("Address of the server"), description=_("One that needs no key.")
    )
    temperature: Annotated[float | None, Ask()] = Field(
        default=0.0, ge=0, le=2, title=_("Temperature"), description=_("How much is left to chance in a reply.")
    )
    max_tokens: Annotated[int | None, Ask()] = Field(
        default=512,
        ge=1,
        lt=2**31,
        title=_("Longest reply, in tokens"),
        description=_("A reply that is cut off can often not be read; a budget needs a limit."),
    )
    response_format: Annotated[
        Literal["text", "json_schema"],
        Ask(choices=FORMATS, usual=_("json_schema where Try it found that the server takes it"), in_study=formats_in),
    ] = Field(
        default="text",
        title=_("Structured output"),
        description=_("The words of the prompt are the same; free text is for repeating what a paper did."),
    )
    mode: Annotated[
        Literal["direct", "batch"],
        Ask(
            choices={
                "direct": _("One by one, answered at once"),
                "batch": _("By the server's Batch API: mostly cheaper, up to a day"),
            },
            is_rare=True,
            decides=False,
        ),
    ] = Field(default="direct", title=_("How requests are sent"))
    seed: Annotated[int | None, Ask(usual=_("none is sent"), is_rare=True)] = Field(
        default=None,
        ge=0,
        lt=2**31,
        title=_("Seed sent to the server"),
        description=_("For servers that know it; repetitions count up from it."),
    )
    max_run_tokens: Annotated[int | None, Ask(usual=_("no limit"), is_rare=True, decides=False)] = Field(
        default=None,
        ge=1,
        lt=2**63,
        title=_("Tokens of the run, at most"),
        description=_("In and out; the run pauses before it has more, as at a budget."),
    )
    structured: Annotated[Literal["auto", "never"], PACE] = Field(
        default="auto", title=_("JSON schemas sent along"), description=_("Where the server takes them, or never.")
    )
    concurrency: Annotated[int, PACE] = Field(
        default=8, ge=1, le=256, title=_("Requests at a time"), description=_("By all workers together.")
    )
    timeout: Annotated[float, PACE] = Field(
        default=60.0,
        gt=0,
        title=_("Seconds for a whole answer, at first"),
        description=_("Where answers come later, the platform waits longer by itself, up to ten times as long."),
    )
    retries: Annotated[int, PACE] = Field(
        default=6, ge=0, le=20, title=_("Further attempts at a request"), description=_("After an error that may pass.")
    )
    price_in: Annotated[float | None, PACE] = Field(
        default=None, ge=0, le=HIGHEST_PRICE, title=_("US dollars for a million prompt tokens")
    )
    price_out: Annotated[float | None, PACE] = Field(
        default=None, ge=0, le=HIGHEST_PRICE, title=_("US dollars for a million tokens of replies")
    )
    requests_per_minute: Annotated[int | None, PACE] = Field(
        default=None, ge=1, title=_("Requests a minute, at most"), description=_("By all workers together.")
    )
    tokens_per_minute: Annotated[int | None, PACE] = Field(
        default=None, ge=1, title=_("Tokens a minute, at most"), description=_("By all workers together.")
    )

    def held_to(self, schema: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """The schema, where replies are to follow it."""
        return schema if self.response_format == "json_schema" else None

    @property
    def share_asked(self) -> float:
        """Of all that could be asked about, how much is asked about at most."""
        return 1.0

    @property
    def times_asked(self) -> int:
        """How often each request is sent anew."""
        return 1


FROM_CONNECTION = tuple(
    column.name for column in ModelConnection._meta.concrete_fields if column.name in pace_of(ModelCall)
)
"""What a connection says of its pace and prices, where a run is told nothing else."""


def server_and_model(given: dict[str, Any]) -> dict[str, Any]:
    """Which server and model to ask, and at what pace and price, by the connection named in ``given`` or, where it
    names none, by ``base_url`` and ``model`` or the environment. What was used is taken out of ``given``.

    Raises
    ------
    InvalidInputError
        When there is no such connection, no model, no usable address, or no key where one is needed.
    """
    if name := given.pop("connection", ""):
        return _by_connection(str(name), given)
    base_url = (given.pop("base_url", "") or settings.OPENAI_BASE_URL or OPENAI_URL).rstrip("/")
    model = given.pop("model", "") or settings.OPENAI_MODEL
    try:
        validate_address(base_url)
    except FieldError as error:
        raise InvalidInputError("scoring.address_not_usable", why=error.message) from None
    if not model:
        raise InvalidInputError("scoring.no_model_chosen")
    if base_url == OPENAI_URL and not settings.OPENAI_API_KEY:
        raise InvalidInputError("scoring.no_api_key")
    return {"base_url": base_url, "model": model}


def check_connection(study: Study, name: str) -> None:
    """
    Raises
    ------
    InvalidInputError
        When the study has no such connection: another study's sounds the same as none.
    """
    usable = ModelConnection.objects.usable_in(study)
    if name and not usable.filter(name=name).exists():
        raise no_connection(name, usable)


def no_connection(name: str, usable: QuerySet[ModelConnection]) -> InvalidInputError:
    known = [*usable.values_list("name", flat=True)] or Reason("words.none_yet")
    return InvalidInputError("scoring.no_such_connection", name=name, known=known)


def _by_connection(name: str, given: dict[str, Any]) -> dict[str, Any]:
    connection = ModelConnection.objects.filter(name=name, is_active=True).first()
    if connection is None:
        raise no_connection(name, ModelConnection.objects.filter(is_active=True, study=None))
    if given.pop("base_url", ""):
        raise InvalidInputError("scoring.connection_and_address")
    model = given.pop("model", "") or connection.model
    own = {name: getattr(connection, name) for name in FROM_CONNECTION if given.get(name) is None}
    is_never = connection.structured == ModelConnection.Structured.NEVER
    if not given.get("response_format"):
        own["response_format"] = "json_schema" if connection.takes_schema and not is_never else "text"
    elif is_never and given["response_format"] == "json_schema":
        raise InvalidInputError("scoring.connection_without_schemas", name=name)
    found = {"connection": connection.name, "base_url": connection.base_url.rstrip("/"), "model": model}
    return found | {name: value for name, value in own.items() if value is not None}


def chosen(kind: type[Parameters], given: Mapping[str, Any]) -> dict[str, Any]:
    """Without what was left open; where None is a value of its own, such as "send no temperature", it stays."""
    can_be_none = {name for name, option in kind.options().items() if option.can_be_none}
    return {name: value for name, value in given.items() if value is not None or name in can_be_none}


def check_given(kind: type[Parameters], given: Mapping[str, Any], names: Container[str]) -> None:
    """Whether what a program sends are parameters of these names, and values of their types.

    What fits by itself and not together is found when they are resolved.

    Raises
    ------
    WrongParametersError
        With each that is unknown, or no value of its type.
    """
    known = {name: field for name, field in fields_of(kind).items() if name in names}
    wrong: dict[str, str] = {}
    for name, value in given.items():
        if name not in known:
            wrong[name] = Reason("scoring.parameter_unknown", known=[*known])
        elif value is not None:
            try:
                TypeAdapter(_declared(known[name])).validate_python(value)
            except ValidationError as error:
                wrong[name] = "; ".join(map(_in_words, error.errors()))
    if wrong:
        raise WrongParametersError(wrong)


def _declared(field: FieldInfo) -> Any:
    """The type of a field with its bounds."""
    return Annotated[field.annotation, *field.metadata]


def wrong_parameters(error: ValidationError) -> WrongParametersError:
    """What a person is told about parameters that do not fit."""
    return WrongParametersError({".".join(map(str, each["loc"])): _in_words(each) for each in error.errors()})


LIMITS = {
    "less_than_equal": ("scoring.above_most", "le"),
    "less_than": ("scoring.not_below", "lt"),
    "greater_than_equal": ("scoring.below_least", "ge"),
    "greater_than": ("scoring.not_above", "gt"),
}


def _in_words(error: ErrorDetails) -> str:
    """A limit as it is said elsewhere; what else pydantic finds in its own words."""
    if error["type"] not in LIMITS:
        return error["msg"]
    code, key = LIMITS[error["type"]]
    given, limit = (f"{each:g}" if isinstance(each, float) else each for each in (error["input"], error["ctx"][key]))
    return Reason(code, given=given, limit=limit)
