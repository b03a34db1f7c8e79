"""Steps through OpenEnv's own client: a line {url, steps} in, the median of the steps in microseconds out, until the end."""

import asyncio
import json
import statistics
import sys
import time

from openenv.core.generic_client import GenericEnvClient


async def median(url: str, steps: list) -> float:
    times = []
    async with GenericEnvClient(base_url=url) as env:
        await env.reset(seed=0)
        for action in steps:
            began = time.perf_counter()
            await env.step(action)
            times.append(time.perf_counter() - began)
    return statistics.median(times) * 1_000_000


for line in sys.stdin:
    print(asyncio.run(median(**json.loads(line))), flush=True)
