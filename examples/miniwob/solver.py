"""Solves a few tasks of MiniWoB++ from another program: a line of JSON in, a line of JSON out.

taskwright run miniwob.tasks.yaml#click-test --agent "process:python3 solver.py"
"""

import json
import re
import sys


def ids(text, role, name=None):
    """The ids of the elements of a role, in their order."""
    wanted = r"[^']*" if name is None else re.escape(name)
    return re.findall(rf"\[(\w+)\] {role} '{wanted}'", text)


def texts(text):
    return re.findall(r"StaticText '([^']+)'", text)


def act(prompt, text):
    if prompt == "Click the button.":
        return [f"click('{ids(text, 'button')[0]}')"]
    if found := re.match(r'Click on the "(.*)" button\.$', prompt):
        return [f"click('{ids(text, 'button', found[1])[0]}')"]
    if found := re.match(r'Enter "(.*)" into the text field and press Submit', prompt):
        return [f"fill('{ids(text, 'textbox')[0]}', {found[1]!r})", f"click('{ids(text, 'button')[0]}')"]
    if found := re.match(r"Focus into the (\d+)\w+ input textbox", prompt):
        return [f"focus('{ids(text, 'textbox')[int(found[1]) - 1]}')"]
    if found := re.match(r"Select (?!.* from the )(.*) and click Submit\.$", prompt):
        names = [] if found[1] == "nothing" else found[1].split(", ")
        boxes = [ids(text, "(?:checkbox|radio)", name)[0] for name in names]
        return [f"click('{box}')" for box in [*boxes, ids(text, "button", "Submit")[0]]]
    if found := re.match(r"Enter (\d\d)/(\d\d)/(\d+) as the date", prompt):
        date = f"{found[3]}-{found[1]}-{found[2]}"
        return [f"fill('{ids(text, 'Date')[0]}', '{date}')", f"click('{ids(text, 'button', 'Submit')[0]}')"]
    if prompt.startswith("Solve the math problem"):
        left, sign, right = re.match(r"(-?\d+) ([-+x]) (-?\d+)", texts(text)[0]).groups()
        answer = {"+": int.__add__, "-": int.__sub__, "x": int.__mul__}[sign](int(left), int(right))
        return [f"fill('{ids(text, 'textbox')[0]}', '{answer}')", f"click('{ids(text, 'button')[0]}')"]
    return None


for line in sys.stdin:
    turn = json.loads(line)
    done = turn["terminated"] or turn["step"] > 0
    print(json.dumps(None if done else act(turn["prompt"], turn["observation"]["text"])), flush=True)
