"""A game with levels: walk through a maze to the exit. The seed decides where you begin."""

import os
import random
from enum import Enum
from typing import Any, Optional

from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field

LEVELS = {
    "first-steps": ["....", ".##.", "...E"],
    "corridors": ["..#..", ".##.#", ".....", ".###.", "...#E"],
}


class Direction(str, Enum):
    UP = "UP"
    DOWN = "DOWN"
    LEFT = "LEFT"
    RIGHT = "RIGHT"


MOVES = {Direction.UP: (-1, 0), Direction.DOWN: (1, 0), Direction.LEFT: (0, -1), Direction.RIGHT: (0, 1)}


class Move(Action):
    move: Direction = Field(..., description="The direction of the next step")


class View(Observation):
    board: list[str] = Field(default_factory=list, description="@ is you, # a wall, E the exit")
    message: str = ""


class MazeState(State):
    level: str = "first-steps"
    row: int = 0
    column: int = 0


class Maze(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._state = MazeState()

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        task: str = "first-steps",
        **kwargs: Any,
    ) -> View:
        if task not in LEVELS:
            raise ValueError(f"there is no level {task!r}; there are {', '.join(LEVELS)}")
        starts = [(0, 0)] if not seed else self._free(task)
        row, column = random.Random(seed).choice(starts)
        self._state = MazeState(episode_id=episode_id, level=task, row=row, column=column)
        return self._view("Find the exit.", reward=0.0)

    def step(self, action: Move, timeout_s: Optional[float] = None, **kwargs: Any) -> View:
        state, maze = self._state, LEVELS[self._state.level]
        state.step_count += 1
        down, right = MOVES[action.move]
        row, column = state.row + down, state.column + right
        if not (0 <= row < len(maze) and 0 <= column < len(maze[0])) or maze[row][column] == "#":
            return self._view("There is a wall.", reward=-0.1)
        state.row, state.column = row, column
        if maze[row][column] == "E":
            return self._view("You are out.", reward=1.0, done=True)
        return self._view("You walk.", reward=0.0)

    def _view(self, message: str, reward: float, done: bool = False) -> View:
        rows = [list(line) for line in LEVELS[self._state.level]]
        rows[self._state.row][self._state.column] = "@"
        return View(board=["".join(row) for row in rows], message=message, reward=reward, done=done)

    @staticmethod
    def _free(level: str) -> list[tuple[int, int]]:
        cells = [(row, column) for row, line in enumerate(LEVELS[level]) for column, cell in enumerate(line) if cell == "."]
        return cells or [(0, 0)]

    @property
    def state(self) -> MazeState:
        return self._state


app = create_app(Maze, Move, View, env_name="maze", max_concurrent_envs=int(os.environ.get("MAX_CONCURRENT_ENVS", "8")))
