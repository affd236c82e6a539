"""The JSON Schema that the application publishes for editors."""

from django.test import Client
from django.urls import reverse
from jsonschema import Draft202012Validator

from annotation_platform.core.schemes import preset


def test_everybody_gets_the_schema_at_its_stable_address(client: Client) -> None:
    assert reverse("scheme_schema") == "/schemes/schema.json"
    response = client.get("/schemes/schema.json")
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "application/schema+json"
    assert "max-age" in response.headers["Cache-Control"]
    schema = response.json()
    assert schema["$id"] == "http://testserver/schemes/schema.json"
    validator = Draft202012Validator(schema)
    assert validator.is_valid(preset("ebr"))
    assert not validator.is_valid({**preset("ebr"), "aspekts": []})
