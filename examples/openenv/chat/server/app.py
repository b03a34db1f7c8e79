"""A customer on the phone: find out the order number and what is wrong with the order."""

from typing import Any, Optional

from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field

ANSWERS = {"number": "It is 4711.", "wrong": "The lamp is broken.", "problem": "The lamp is broken."}


class Say(Action):
    message: str = Field(..., min_length=1, description="What you say to the customer")


class Talk(Observation):
    messages: list[dict[str, str]] = Field(default_factory=list)


class TalkState(State):
    knows: list[str] = Field(default_factory=list)


class Chat(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._state = TalkState()
        self._messages: list[dict[str, str]] = []

    def reset(self, seed: Optional[int] = None, episode_id: Optional[str] = None, **kwargs: Any) -> Talk:
        self._state = TalkState(episode_id=episode_id)
        self._messages = [{"role": "user", "content": "Hello, I have a problem with my order."}]
        return Talk(messages=self._messages, reward=0.0)

    def step(self, action: Say, timeout_s: Optional[float] = None, **kwargs: Any) -> Talk:
        self._state.step_count += 1
        said = action.message.lower()
        answer = next((text for word, text in ANSWERS.items() if word in said), "Sorry, I do not understand.")
        known = {"It is 4711.": "number", "The lamp is broken.": "problem"}.get(answer)
        new = known is not None and known not in self._state.knows
        if new:
            self._state.knows.append(known)
        self._messages = [
            *self._messages,
            {"role": "assistant", "content": action.message},
            {"role": "user", "content": answer},
        ]
        return Talk(messages=self._messages, reward=0.5 if new else 0.0, done=len(self._state.knows) == 2)

    @property
    def state(self) -> TalkState:
        return self._state


app = create_app(Chat, Say, Talk, env_name="chat", max_concurrent_envs=8)
