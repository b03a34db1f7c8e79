"""The lights, and what a task asks of them."""

import json
import os
import tempfile

FILE = os.path.join(tempfile.gettempdir(), "lights.json")


def start(rows):
    """Lays out a board: a text for each row, `#` for a light that is on and `.` for one that is off."""
    write([[light == "#" for light in row] for row in rows])


def all_off():
    """How many of the lights are off."""
    lights = [light for row in read() for light in row]
    on = sum(lights)
    reason = f"{on} of {len(lights)} lights are on" if on else "all lights are off"
    return {"score": 1 - on / len(lights), "reason": reason}


def is_on(row, column):
    """Whether one light is on; rows and columns are counted from 1."""
    return read()[row - 1][column - 1]


def turn(lights, row, column):
    """Turns a light and its neighbours; how many that are."""
    turned = 0
    for y, x in ((row, column), (row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
        if 0 <= y < len(lights) and 0 <= x < len(lights[y]):
            lights[y][x] = not lights[y][x]
            turned += 1
    return turned


def as_text(lights):
    return "\n".join("".join("#" if light else "." for light in row) for row in lights)


def read():
    with open(FILE, encoding="utf-8") as file:
        return json.load(file)


def write(lights):
    with open(FILE, "w", encoding="utf-8") as file:
        json.dump(lights, file)
