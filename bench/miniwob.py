"""Plays episodes of MiniWoB++ through BrowserGym: {folder, browser, episodes: [{task, actions}]} in, {seconds, rewards} out."""

import json
import sys
import time

from peer_browser import prepare

asked = json.load(sys.stdin)
prepare(asked["folder"], asked["browser"])

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
