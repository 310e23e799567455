"""Whatever fits the description, and much that does not, gets an answer that it foresees."""

from typing import Any
from uuid import uuid4

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.core.result import Ok
from schemathesis.schemas import APIOperation
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    ignored_auth,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.lab.asking import Caller
from tests.lab.served import prompt

EXAMPLES = 20
CHECKED = (
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    ignored_auth,
)


def tried(operation: APIOperation[Any, Any, Any, Any], owner: Caller, known: list[str]) -> None:
    """Call one operation with made-up values, and half the time with the name of somebody known."""
    modes = list(schemathesis.GenerationMode)
    cases = st.one_of([operation.as_strategy(generation_mode=mode) for mode in modes])

    @settings(
        max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck)
    )
    @given(case=cases, name=st.sampled_from([None, *known]))
    def call(case: Any, name: str | None) -> None:
        if name is not None and "name" in case.path_parameters:
            case.path_parameters["name"] = name
        token = {"Authorization": owner.headers["authorization"]}
        case.call_and_validate(base_url=owner.url, headers=token, checks=CHECKED)

    call()


def test_no_answer_surprises_a_reader_of_the_description(owner: Caller) -> None:
    known = [str(uuid4()), str(uuid4())]
    for name in known:
        owner.post("/api/hooks/claude", prompt(name, "hello"))
    document = owner.get("/api/openapi.json").json()
    schema = schemathesis.openapi.from_dict(document).exclude(
        path=["/api/stream", "/api/offers"]
    )  # they wait

    wrong = []
    operations = [each.ok() for each in schema.get_all_operations() if isinstance(each, Ok)]
    for operation in operations:
        try:
            tried(operation, owner, known)
        except FailureGroup as failures:
            wrong.append(f"{operation.label}: {failures}")

    assert len(operations) == sum(map(len, document["paths"].values())) - 2
    assert not wrong, "\n\n".join(wrong)


@pytest.mark.parametrize("place", ["x", "-1", "1e3", "9" * 5000, "\xff", "18446744073709551616"])
def test_a_place_nobody_was_given_gets_a_snapshot(owner: Caller, place: str) -> None:
    stream = Caller(owner.url, {**owner.headers, "last-event-id": place}).hear()
    with stream:
        names = [next(events).name for events in [iter(stream)]]

    assert names[0] in ("snapshot", "lagged")
