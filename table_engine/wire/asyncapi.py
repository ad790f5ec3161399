"""The wire as an AsyncAPI 3.0 document with MQTT bindings, made from the models themselves.

    python -m table_engine.wire.asyncapi docs/asyncapi.yaml        # writes it (without a file: to standard output)

Seen from the engine: it receives what sensors say and sends what the world may know. A test compares the file with this.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter

from table_engine.wire.acts import ActCommand
from table_engine.wire.alerts import ALERT_CHANGE
from table_engine.wire.messages import (
    ACKS,
    ActionReport,
    Availability,
    Command,
    NodeInfo,
    OpenAlerts,
    Response,
    Snapshot,
)
from table_engine.wire.mqtt import KEEPALIVE_S
from table_engine.wire.observations import Envelope
from table_engine.wire.settings import BrokerSettings
from table_engine.wire.topics import Topics

Json = str | int | float | bool | None | Mapping[str, "Json"] | Sequence["Json"]

_VERSION = "1.1.0"
"""Of the wire: its first number is that of the topics' root and the envelope's `v`."""
_BINDING = "0.2.0"
_AS = Topics("venue", "table")
_PARAMETERS = {
    "venue": "The site's `venue`.",
    "table": "A table's id.",
    "node": "A camera or bridge of the table, or `engine`.",
    "name": "Which command: `resend`, `rebirth`, or one that the node's birth lists.",
}


@dataclass(frozen=True, slots=True)
class _Said:
    """One kind of message on one topic."""

    key: str
    topic: str
    payload: TypeAdapter[Any]
    action: Literal["send", "receive"]
    summary: str
    retain: bool = False


_SAID = (
    _Said("availability", _AS.availability("node"), TypeAdapter(Availability), "receive",
          "A node is there or not; also its last will. An `offline` with an older boot than the latest means nothing.", True),
    _Said("info", _AS.info("node"), TypeAdapter(NodeInfo), "receive", "Birth of a node, at every connect and when asked.", True),
    _Said("observation", _AS.events("node"), TypeAdapter(Envelope | list[Envelope]), "receive",
          "What a sensor observed, in the order of `(boot, seq)`, at least once; repeated until `ack` covers it. What had to "
          "wait comes as a list."),
    _Said("secret", _AS.secret("node"), TypeAdapter(Envelope | list[Envelope]), "receive",
          "The same for sources that see concealed hands. Nobody but the engine may read it."),
    _Said("response", _AS.response("node", "name"), TypeAdapter(Response), "receive", "Answer to the command of the same transaction."),
    _Said("command", _AS.command("node", "name"), TypeAdapter(Command), "send",
          "Asks a node for something. `resend`: everything unacknowledged again. `rebirth`: its whole picture anew."),
    _Said("act", _AS.command("engine", "act"), TypeAdapter(ActCommand), "receive",
          "Asks the engine for an act of a referee or operator. The answer is on `engine/rsp/act`; one that comes twice counts "
          "once."),
    _Said("ack", _AS.ack, ACKS, "send", "By source, up to where the engine has journalled (fsynced) everything.", True),
    _Said("state", _AS.state, TypeAdapter(Snapshot), "send", "The public state of the table.", True),
    _Said("action", _AS.action, TypeAdapter(ActionReport), "send", "Something moved."),
    _Said("alert", _AS.alert, ALERT_CHANGE, "send", "A suspected foul is new, changed, or no longer holds. For referees and operators."),
    _Said("notice", _AS.notice, ALERT_CHANGE, "send", "The same, of alerts that the rule set lets the room know of."),
    _Said("alerts", _AS.alerts, TypeAdapter(OpenAlerts), "send", "All alerts that are open.", True),
)  # fmt: skip


def document() -> dict[str, Json]:
    """The whole document."""
    refs, definitions = TypeAdapter.json_schemas(
        [(said.key, "validation", said.payload) for said in _SAID], ref_template="#/components/schemas/{model}"
    )
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Jantaku on the wire",
            "version": _VERSION,
            "description": "MQTT 3.1.1, QoS 1, JSON. Made from table_engine/wire by `python -m table_engine.wire.asyncapi`.",
            "license": {"name": "Apache-2.0"},
        },
        "defaultContentType": "application/json",
        "servers": {"broker": _server()},
        "channels": {said.key: _channel(said) for said in _SAID},
        "operations": {f"{said.action}-{said.key}": _operation(said) for said in _SAID},
        "components": {
            "messages": {
                said.key: {"name": said.key, "summary": said.summary, "payload": _plain(refs[said.key, "validation"])}
                for said in _SAID
            },
            "schemas": _plain(definitions["$defs"]),
            "securitySchemes": {
                "password": {"type": "userPassword", "description": "One user per role; see access.py."}
            },
        },
    }


def _server() -> Json:
    broker = BrokerSettings()
    return {
        "host": f"{broker.host}:{broker.port}",
        "protocol": "mqtt",
        "protocolVersion": "3.1.1",
        "description": "The embedded broker's usual address; a site file may name any other.",
        "security": [{"$ref": "#/components/securitySchemes/password"}],
        "bindings": {
            "mqtt": {
                "clientId": "venue_table_node",
                "cleanSession": True,
                "keepAlive": KEEPALIVE_S,
                "lastWill": {
                    "topic": _AS.availability("node"),
                    "qos": 1,
                    "retain": True,
                    "message": Availability(state="offline", boot=17).model_dump_json(),
                },
                "bindingVersion": _BINDING,
            }
        },
    }


def _address(topic: str) -> str:
    """A topic made with the parameters' own names as ids → an address with `{parameters}`."""
    return "/".join(f"{{{level}}}" if level in _PARAMETERS else level for level in topic.split("/"))


def _channel(said: _Said) -> Json:
    address = _address(said.topic)
    return {
        "address": address,
        "description": said.summary,
        "messages": {said.key: {"$ref": f"#/components/messages/{said.key}"}},
        "parameters": {name: {"description": _PARAMETERS[name]} for name in re.findall(r"{(\w+)}", address)},
    }


def _operation(said: _Said) -> Json:
    return {
        "action": said.action,
        "channel": {"$ref": f"#/channels/{said.key}"},
        "messages": [{"$ref": f"#/channels/{said.key}/messages/{said.key}"}],
        "bindings": {"mqtt": {"qos": 1, "retain": said.retain, "bindingVersion": _BINDING}},
    }


def _plain(schema: Json) -> Json:
    """JSON Schema as pydantic writes it (2020-12) → as AsyncAPI reads it (draft 07): tuples by `items`, no discriminators."""
    match schema:
        case Mapping() if "prefixItems" in schema:
            rest = {key: value for key, value in schema.items() if key != "prefixItems"}
            return _plain({**rest, "items": schema["prefixItems"], "additionalItems": False})
        case Mapping():
            return {key: _plain(value) for key, value in schema.items() if key != "discriminator"}
        case list():
            return [_plain(value) for value in schema]
        case _:
            return schema


def to_yaml(value: Json, indent: str = "") -> str:
    """Block style with JSON's scalars: a part of YAML 1.2 that needs no library."""
    match value:
        case Mapping() if value:
            return "".join(f"{indent}{_key(key)}:{_nested(item, indent)}" for key, item in value.items())
        case list() | tuple() if value:
            return "".join(f"{indent}-{_nested(item, indent)}" for item in value)
        case _:
            return json.dumps(value, ensure_ascii=False)


def _nested(item: Json, indent: str) -> str:
    if isinstance(item, Mapping | list | tuple) and item:
        return "\n" + to_yaml(item, indent + "  ")
    return f" {to_yaml(item)}\n"


def _key(key: str) -> str:
    return key if re.fullmatch(r"[a-zA-Z][\w-]*", key) else json.dumps(key)


def main() -> None:
    text = to_yaml(document())
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
