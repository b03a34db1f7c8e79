"""Serves a task of MiniWoB++ in an environment on OpenEnv's base classes, with the fields of `browsergym_env`, over BrowserGym.

    serving-peer.py PORT TASK PAGES BROWSER [--no-screenshots]
"""

import sys

from peer_browser import prepare

port, task, pages, browser, *options = sys.argv[1:]

prepare(pages, browser)

import browsergym.miniwob  # noqa: E402, F401  (registers the tasks)
import gymnasium  # noqa: E402
import uvicorn  # noqa: E402
from browsergym.utils.obs import flatten_axtree_to_str, flatten_dom_to_str, prune_html  # noqa: E402
from openenv.core.env_server.http_server import create_fastapi_app  # noqa: E402
from openenv.core.env_server.interfaces import Environment  # noqa: E402
from openenv.core.env_server.types import Action, Observation, State  # noqa: E402


class TextAction(Action):
    action_str: str


class PageObservation(Observation):
    text: str = ""
    url: str = ""
    screenshot: list | None = None
    goal: str = ""
    axtree_txt: str = ""
    pruned_html: str = ""
    error: str = ""
    last_action_error: bool = False


class BrowserGym(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True
    # Playwright's synchronous interface stays on its thread.
    REQUIRES_SINGLE_THREAD_EXECUTOR = True

    def __init__(self):
        super().__init__()
        self._env = gymnasium.make(f"browsergym/miniwob.{task}")
        self._state = State(episode_id="bench", step_count=0)

    def reset(self, seed=None, episode_id=None, **_):
        seen, _info = self._env.reset(seed=seed)
        return self._observation(seen, 0.0, False)

    def step(self, action, timeout_s=None, **_):
        seen, reward, terminated, truncated, _info = self._env.step(action.action_str)
        return self._observation(seen, float(reward), terminated or truncated)

    def _observation(self, seen, reward, done):
        tree = flatten_axtree_to_str(seen["axtree_object"])
        return PageObservation(
            text=tree,
            axtree_txt=tree,
            pruned_html=prune_html(flatten_dom_to_str(seen["dom_object"])),
            url=seen["url"],
            screenshot=None if "--no-screenshots" in options else seen["screenshot"].tolist(),
            goal=seen["goal"],
            last_action_error=bool(seen["last_action_error"]),
            reward=reward,
            done=done,
        )

    @property
    def state(self):
        return self._state

    def close(self):
        self._env.close()


app = create_fastapi_app(BrowserGym, TextAction, PageObservation, max_concurrent_envs=8)
uvicorn.run(app, host="127.0.0.1", port=int(port), log_level="warning")
