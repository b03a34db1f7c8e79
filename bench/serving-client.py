"""Steps through sessions of a server with OpenEnv's own client: {url, reset, action, steps, sessions} in, seconds out.

In {"steps": [[seconds, ...], ...], "wall": seconds} are the times of the steps of each session. The action's `BID` is the first
text box of the page.
"""

import asyncio
import json
import re
import sys
import time

from openenv.core import GenericEnvClient

asked = json.load(sys.stdin)


async def session(ready: asyncio.Barrier) -> list:
    times = []
    async with GenericEnvClient(base_url=asked["url"]) as env:
        result = await env.reset(**asked["reset"])
        bid = re.search(r"\[(\d+)\] textbox", result.observation["text"])[1]
        action = {"action_str": asked["action"].replace("BID", bid)}
        await ready.wait()
        for _ in range(asked["steps"]):
            began = time.perf_counter()
            result = await env.step(action)
            times.append(time.perf_counter() - began)
        if result.observation["last_action_error"] or result.done:
            raise RuntimeError(f"The action did not do what it should: {result.observation['text']}")
    return times


async def main() -> None:
    ready = asyncio.Barrier(asked["sessions"] + 1)
    running = [asyncio.create_task(session(ready)) for _ in range(asked["sessions"])]
    waiting = asyncio.create_task(ready.wait())
    await asyncio.wait([waiting, *running], return_when=asyncio.FIRST_COMPLETED)
    print("ready", flush=True)
    began = time.perf_counter()
    steps = await asyncio.gather(*running)
    print(json.dumps({"steps": steps, "wall": time.perf_counter() - began}), flush=True)


asyncio.run(main())
