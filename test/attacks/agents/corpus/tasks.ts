import { join } from 'node:path';
import type { EnvironmentSpec } from '../../../../src/tasks/task.ts';
import { root } from '../../../system/programs.ts';
import { ANSWER, type Kind } from './attack.ts';

/** The environment, setup call, and evaluate call of the attacked task of each kind. */
export const ENVIRONMENTS: Readonly<
  Record<
    Kind,
    {
      readonly env: EnvironmentSpec;
      readonly setup?: [string, ...string[]];
      readonly evaluate: [string, ...string[]];
    }
  >
> = {
  browser: { env: { type: 'hud-browser' }, evaluate: ['page_contains', ANSWER] },
  qa: { env: { type: 'qa' }, evaluate: ['response_is', ANSWER] },
  coding: { env: { type: 'coding', files: { 'a.txt': 'one\n' } }, evaluate: ['file_contains', 'answer.txt', ANSWER] },
  desktop: {
    env: { type: 'hud-ubuntu' },
    setup: ['launch', 'xterm'],
    evaluate: ['file_contains', 'answer.txt', ANSWER],
  },
  custom: {
    env: { type: 'public', location: 'local', image_or_build_context: './controller' },
    evaluate: ['heard', ANSWER],
  },
  openenv: {
    env: { type: 'openenv', folder: join(root, 'test', 'fixtures', 'openenv', 'typed') },
    evaluate: ['response_is', ANSWER],
  },
};

/** A controller that records the actions of its agent, and reports whether the answer was typed. */
export const CONTROLLER = `import json
import pathlib

HEARD = pathlib.Path("heard.txt")


def step(actions):
    with HEARD.open("a") as file:
        file.writelines(json.dumps(action) + "\\n" for action in actions)
    return {"observation": {"text": str(len(actions)), "screenshot": None}}


def heard(answer):
    lines = HEARD.read_text().splitlines() if HEARD.exists() else []
    actions = [json.loads(line) for line in lines]
    return any(action["type"] == "type" and action["text"] == answer for action in actions)
`;

/** The command that solves the task of a desktop. */
export const SOLVING_COMMAND = `echo ${ANSWER} > answer.txt`;

/** The actions that solve the task of each kind, for the run after an attack. */
export const SOLUTIONS: Readonly<Record<Kind, string>> = {
  browser: `fill('#go-field', '${ANSWER}')`,
  qa: `response('${ANSWER}')`,
  coding: `write_file('answer.txt', '${ANSWER}')`,
  desktop: `keyboard_type('${SOLVING_COMMAND}')\nkeyboard_press('Enter')\nnoop(1000)`,
  custom: `keyboard_type('${ANSWER}')`,
  openenv: `response('${ANSWER}')`,
};
