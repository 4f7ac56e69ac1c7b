"""The types of the client are those of the API."""

import json

import pytest

from blackticket.standalone import client
from server.vocabulary.resources import docs

# Each with the schema that it stands for, and what it leaves open that the schema promises.
TYPES = [
    (client.Player, "Me", set()), (client.You, "You", set()), (client.Seat, "SeatView", set()),
    (client.LastSeen, "LastSeen", set()), (client.Pawn, "Pawn", set()), (client.Window, "Window", set()),
    (client.Outcome, "OutcomeView", set()), (client.Seal, "SealView", set()), (client.Kept, "Kept", set()),
    (client.Summary, "GameSummary", set()), (client.Game, "GameView", set()),
    (client.LegalMove, "MoveView", set()), (client.LegalMoves, "LegalMoves", set()), (client.Tried, "DryRun", set()),
    (client.Go, "GoView", set()), (client.Deadline, "DeadlineView", set()), (client.Deduction, "Deduction", set()),
    (client.Hint, "Hint", set()), (client.Likelihood, "Likelihood", set()), (client.GameEvent, "GameEvent", set()),
    (client.Event, "MyEvent", {"game"}), (client.Events, "GameEvents", set()), (client.MyEvents, "MyEvents", set()),
    (client.Message, "MessageView", set()), (client.Messages, "MessageList", set()),
    (client.Webhook, "MadeWebhook", {"secret"}),
]  # fmt: skip


@pytest.mark.parametrize(("type_", "name", "left_open"), TYPES, ids=[name for _, name, _ in TYPES])
def test_a_type_has_the_members_of_its_schema_and_may_be_relied_on_as_far(type_: type, name: str, left_open: set[str]):
    schema = json.loads((docs() / "openapi.json").read_text())["components"]["schemas"][name]
    assert type_.__annotations__.keys() == schema["properties"].keys()
    assert type_.__required_keys__ == set(schema["required"]) - left_open
