"""What all records share."""

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """A row that was read."""

    model_config = ConfigDict(frozen=True, extra="ignore")
