"""The HTTP interface against its own document: up to date, and whatever is asked of it, it does not break."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import boards
import pytest
import requests
import schemathesis
from hall import Hall
from hypothesis import HealthCheck, given, settings

from table_engine.web.grants import Role
from table_engine.web.openapi import document

EXAMPLES = 12
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    with Hall(tmp_path_factory.mktemp("hall")) as one:
        one.hub.publish_alert("table-1", boards.raised())
        yield one


def test_document_is_up_to_date(repo: Path) -> None:
    text = (repo / "docs" / "openapi.json").read_text(encoding="utf-8")
    assert text == document(), "run: python -m table_engine.web.openapi docs/openapi.json"


@pytest.fixture(scope="module")
def schema(hall: Hall) -> object:
    return schemathesis.openapi.from_url(f"{hall.address}api/openapi.json", timeout=60)


@pytest.mark.parametrize("role", [Role.ADMIN, Role.REFEREE, None])
def test_nothing_asked_of_it_breaks_it(hall: Hall, schema: object, role: Role | None) -> None:
    headers = {"Authorization": f"Bearer {hall.served.key(role)}"} if role else {}
    asked = 0
    for result in schema.get_all_operations():
        operation = result.ok()
        if operation.path in ("/api/push", "/api/demo"):
            continue

        @settings(
            max_examples=EXAMPLES,
            deadline=None,
            database=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy())
        def ask(case: schemathesis.Case) -> None:
            nonlocal asked
            answer = case.call(base_url=hall.address.rstrip("/"), headers=headers, timeout=60)
            asked += 1
            assert answer.status_code < 500, (case.method, case.path, case.body, answer.text)

        ask()
    assert asked > 100


def test_a_body_that_is_no_json_is_a_sentence(hall: Hall) -> None:
    key = hall.served.key(Role.REFEREE)
    for body in (b"", b"{", b"[]", b"\xff\xfe", b'{"did": {"act": "nothing"}}', b'{"did": null}'):
        answer = requests.post(
            f"{hall.address}api/tables/table-1/acts",
            data=body,
            headers={"Authorization": f"Bearer {key}", "Content-Type": "application/json"},
            timeout=10,
        )
        assert answer.status_code == 422
        assert answer.json()["error"]
