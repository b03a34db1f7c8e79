import { expect, it } from 'vitest';
import { findTraceback, tracebackIn } from '../../../../src/placement/hud/traceback.ts';

const SERVER = '  File "/venv/lib/python3.11/site-packages/hud/environment/server.py", line 169, in start';
const OWN = ['  File "/tasks/env.py", line 55, in raises_setup', '    raise ValueError(message)'];

function logged(method: string, ...exception: readonly string[]): string[] {
  return [`error handling ${method}`, 'Traceback (most recent call last):', SERVER, '    ^^^^^', ...OWN, ...exception];
}

const LINES = [
  'HUD_SERVE_PORT=1',
  ...logged('tasks.start', 'ValueError: no such level'),
  'said in between: no such level',
  ...logged('tasks.grade', 'AssertionError'),
  ...logged('tasks.grade', 'my.Error: two', '', 'lines'),
  'error handling tasks.start',
  'Traceback (most recent call last):',
  ...OWN,
  "TypeError: bad args ['wrd']",
  '',
  'The above exception was the direct cause of the following exception:',
  '',
  'Traceback (most recent call last):',
  SERVER,
  "TypeError: task 'count': bad args ['wrd']",
];

it.each([
  ['The template “x” could not be started: no such level', 'ValueError: no such level'],
  ['its code raised an exception without a message', 'AssertionError'],
  ['two\n\nlines', 'my.Error: two\n\nlines'],
])('the traceback of “%s” is found, without the frames of HUD', (message, end) => {
  expect(tracebackIn(LINES, message)).toBe(['Traceback (most recent call last):', ...OWN, end].join('\n'));
});

it('an exception of HUD’s own code has none', () => {
  expect(tracebackIn(LINES, "task 'count': bad args ['wrd']")).toBeNull();
});

it('a traceback that was not logged is waited for, for a while', async () => {
  const lines: string[] = [];
  expect(await findTraceback(lines, 'late')).toBeNull();
  const found = findTraceback(lines, 'late');
  lines.push(...logged('tasks.grade', 'KeyError: late'));
  expect(await found).toContain('KeyError: late');
});
