"""The controller of a board of lights: a click turns a light and its neighbours on or off.

Each function is called in a process of its own, so the board stands in a file.
"""

import base64

from . import board, picture


def step(actions):
    """Carries the actions out and shows the board."""
    lights = board.read()
    turned = 0
    for action in actions:
        if action["type"] == "click" and action["point"]:
            row, column = (action["point"][axis] // picture.TILE for axis in ("y", "x"))
            turned += board.turn(lights, row, column)
    if turned:
        board.write(lights)
    screenshot = base64.b64encode(picture.draw(lights)).decode()
    return {
        "observation": {"screenshot": screenshot, "text": board.as_text(lights)},
        "info": {"turned": turned},
    }
