"""Runs tasks of the env.py in this folder as `hud eval` does: a server for each. Prints the seconds. Arguments: how many tasks."""

import asyncio
import os
import sys
import time

sys.path.insert(0, os.getcwd())

from env import count  # noqa: E402
from hud.agents.base import Agent  # noqa: E402
from hud.eval import SubprocessRuntime, Taskset  # noqa: E402

# The default of `hud eval`.
AT_ONCE = 30


class Counting(Agent):
    async def __call__(self, run):
        run.trace.content = str(run.prompt_text.split()[-1].count("r"))


async def main() -> None:
    tasks = [count(word="r" * (number + 1)) for number in range(int(sys.argv[1]))]
    began = time.perf_counter()
    job = await Taskset("bench", tasks).run(Counting(), runtime=SubprocessRuntime("env.py"), max_concurrent=AT_ONCE)
    took = time.perf_counter() - began
    assert job.reward == 1.0 and len(job.runs) == len(tasks), (job.reward, job.errors)
    print(took)


asyncio.run(main())
