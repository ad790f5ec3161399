"""Home Assistant's MQTT discovery: every table as a device with what a hall wants on its wall. Off unless the site says so."""

from __future__ import annotations

import json

from table_engine.wire.topics import ENGINE, Topics


def discovery(venue: str, table: str) -> tuple[str, str]:
    """(topic, payload) that makes one table a device; to be said retained."""
    topics = Topics(venue, table)
    ident = f"jantaku_{venue}_{table}".replace("-", "_")

    def sensor(name: str, key: str, template: str, icon: str, topic: str = topics.state) -> dict[str, str]:
        return {
            "platform": "sensor",
            "name": name,
            "unique_id": f"{ident}_{key}",
            "state_topic": topic,
            "value_template": template,
            "icon": f"mdi:{icon}",
        }

    payload = {
        "device": {"identifiers": [ident], "name": f"Mahjong {table}", "manufacturer": "Jantaku", "model": "table"},
        "origin": {"name": "Jantaku"},
        "availability": [{"topic": topics.availability(ENGINE), "value_template": "{{ value_json.state }}"}],
        "components": {
            "phase": sensor("Phase", "phase", "{{ value_json.data.phase }}", "cards-playing"),
            "hand": sensor("Hand", "hand", "{{ value_json.data.hand }}", "counter"),
            "wall": sensor("Tiles left", "wall", "{{ value_json.data.wall_left }}", "wall"),
            "last": sensor("Last move", "last", "{{ value_json.data.last[:250] }}", "history"),
            "alerts": sensor("To rule on", "alerts", "{{ value_json.alerts | count }}", "whistle", topics.alerts),
            "problem": {
                "platform": "binary_sensor",
                "name": "Equipment",
                "unique_id": f"{ident}_problem",
                "device_class": "problem",
                "state_topic": topics.state,
                "value_template": "{{ 'ON' if value_json.data.degraded else 'OFF' }}",
            },
        },
    }
    return f"homeassistant/device/{ident}/config", json.dumps(payload, ensure_ascii=False)
