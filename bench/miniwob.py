"""Plays episodes of MiniWoB++ through BrowserGym: {folder, browser, episodes: [{task, actions}]} in, {seconds, rewards} out."""

import json
import os
import pathlib
import sys
import tempfile
import time

import playwright

asked = json.load(sys.stdin)

# Playwright starts a second browser for the chat, so the program must be where its download would be.
package = pathlib.Path(playwright.__file__).parent / "driver" / "package"
revisions = {one["name"]: one["revision"] for one in json.loads((package / "browsers.json").read_text())["browsers"]}
browsers = pathlib.Path(tempfile.mkdtemp(prefix="taskwright-bench-"))
program = (
    browsers
    / f"chromium_headless_shell-{revisions['chromium-headless-shell']}"
    / "chrome-headless-shell-linux64"
    / "chrome-headless-shell"
)
program.parent.mkdir(parents=True)
program.symlink_to(asked["browser"])
os.environ["PLAYWRIGHT_BROWSERS_PATH"] = str(browsers)
os.environ["MINIWOB_URL"] = (pathlib.Path(asked["folder"]) / "miniwob").as_uri() + "/"

began = time.perf_counter()
import browsergym.miniwob  # noqa: E402, F401  (registers the tasks)
import gymnasium  # noqa: E402

rewards = []
for episode in asked["episodes"]:
    env = gymnasium.make(f"browsergym/miniwob.{episode['task']}")
    env.reset(seed=0)
    reward = 0
    for action in episode["actions"]:
        _, reward, terminated, _, _ = env.step(action)
        if terminated:
            break
    env.close()
    rewards.append(reward)
json.dump({"seconds": time.perf_counter() - began, "rewards": rewards}, sys.stdout)
