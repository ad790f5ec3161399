from __future__ import annotations

import json
from pathlib import Path

import yaml

from table_engine.wire.asyncapi import document, to_yaml
from table_engine.wire.observations import OBSERVATION
from table_engine.wire.reading import VERSION
from table_engine.wire.topics import ROOT, Topics


def test_the_file_is_what_the_models_say(repo: Path) -> None:
    text = (repo / "docs" / "asyncapi.yaml").read_text(encoding="utf-8")
    assert text == to_yaml(document()), "run: python -m table_engine.wire.asyncapi docs/asyncapi.yaml"


def test_the_file_is_yaml_of_the_document() -> None:
    assert yaml.safe_load(to_yaml(document())) == json.loads(json.dumps(document()))


def test_every_reference_leads_somewhere() -> None:
    whole = json.loads(json.dumps(document()))
    refs: list[str] = []

    def collect(node: object) -> None:
        match node:
            case {"$ref": str(ref)}:
                refs.append(ref)
            case dict():
                for value in node.values():
                    collect(value)
            case list():
                for value in node:
                    collect(value)

    collect(whole)
    assert len(refs) > 50
    for ref in refs:
        at = whole
        for step in ref.removeprefix("#/").split("/"):
            at = at[step]
        assert at is not None


def test_every_topic_and_every_observation_is_described() -> None:
    whole = json.loads(json.dumps(document()))
    addresses = {
        channel["address"].format(venue="v", table="t", node="n", name="x") for channel in whole["channels"].values()
    }
    topics = Topics("v", "t")
    assert addresses == {
        topics.availability("n"), topics.info("n"), topics.events("n"), topics.secret("n"), topics.command("n", "x"),
        topics.response("n", "x"), topics.command("engine", "act"), topics.ack, topics.state, topics.action,
        topics.alert, topics.notice, topics.alerts,
    }  # fmt: skip
    models = [schema.get("properties", {}) for schema in whole["components"]["schemas"].values()]
    named = {properties["type"]["const"] for properties in models if "type" in properties}
    kinds = set(OBSERVATION.json_schema()["discriminator"]["mapping"])
    assert kinds <= named
    assert whole["info"]["version"].partition(".")[0] == str(VERSION) == ROOT[-1]


def test_what_is_retained_is_said_so() -> None:
    whole = json.loads(json.dumps(document()))
    retained = {key for key, op in whole["operations"].items() if op["bindings"]["mqtt"]["retain"]}
    assert retained == {"receive-availability", "receive-info", "send-ack", "send-state", "send-alerts"}
