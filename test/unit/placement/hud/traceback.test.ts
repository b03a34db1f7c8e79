import { expect, it } from 'vitest';
import { LogLines } from '../../../../src/base/log-lines.ts';
import { Tracebacks } from '../../../../src/placement/hud/traceback.ts';

const FIRST = 'Traceback (most recent call last):';
const SERVER = '  File "/venv/lib/python3.11/site-packages/hud/environment/server.py", line 169, in start';
const FRAME = ['  File "/tasks/env.py", line 55, in raises_setup', '    raise ValueError(message)'];
const OTHER_FRAME = ['  File "/tasks/env.py", line 70, in other_setup', '    assert ready'];

function failure(method: string, frame: readonly string[], ...exception: readonly string[]): string[] {
  return [`error handling ${method}`, FIRST, SERVER, '    ^^^^^', ...frame, ...exception];
}

const LINES = [
  'HUD_SERVE_PORT=1',
  ...failure('tasks.start', FRAME, 'ValueError: no such level'),
  'said in between: no such level',
  ...failure('tasks.grade', FRAME, 'AssertionError'),
  ...failure('tasks.grade', FRAME, 'my.Error: two', '', 'lines'),
  'error handling tasks.start',
  FIRST,
  ...FRAME,
  "TypeError: bad args ['wrd']",
  '',
  'The above exception was the direct cause of the following exception:',
  '',
  FIRST,
  SERVER,
  "TypeError: task 'count': bad args ['wrd']",
];
const NO_TEXT = 'its code raised an exception without a message';

function logOf(lines: readonly string[]): LogLines {
  const log = new LogLines();
  addTo(log, lines);
  return log;
}

function addTo(log: LogLines, lines: readonly string[]): void {
  for (const line of lines) log.add(line);
}

it.each([
  ['The template “x” could not be started: no such level', 'ValueError: no such level'],
  [NO_TEXT, 'AssertionError'],
  ['two\n\nlines', 'my.Error: two\n\nlines'],
])('finds the traceback of “%s”, without the frames of HUD', async (message, end) => {
  expect(await new Tracebacks(logOf(LINES)).find(message)).toBe([FIRST, ...FRAME, end].join('\n'));
});

it('returns null for an exception of HUD’s own code', async () => {
  expect(await new Tracebacks(logOf(LINES)).find("task 'count': bad args ['wrd']")).toBeNull();
});

it('waits for a traceback that has not been logged, for a while', async () => {
  const log = new LogLines();
  const tracebacks = new Tracebacks(log);
  expect(await tracebacks.find('late')).toBeNull();
  const traceback = tracebacks.find('late');
  addTo(log, failure('tasks.grade', FRAME, 'KeyError: late'));
  expect(await traceback).toContain('KeyError: late');
});

it.each([
  ['of the template', FRAME],
  ['with only frames of HUD', []],
])('waits for a new traceback after an earlier one %s with the same text', async (_what, frame) => {
  const log = logOf(failure('tasks.start', frame, 'AssertionError'));
  const tracebacks = new Tracebacks(log);
  await tracebacks.find(NO_TEXT);
  const traceback = tracebacks.find(NO_TEXT);
  addTo(log, failure('tasks.start', OTHER_FRAME, 'AssertionError'));
  expect(await traceback).toBe([FIRST, ...OTHER_FRAME, 'AssertionError'].join('\n'));
  expect(await tracebacks.find(NO_TEXT)).toBeNull();
});

it('distinguishes tracebacks after lines were dropped from the log', async () => {
  const log = logOf(failure('tasks.start', FRAME, 'AssertionError'));
  const tracebacks = new Tracebacks(log);
  await tracebacks.find(NO_TEXT);
  const { length } = log.lines;
  // The next traceback takes the place of the first one in the stored lines.
  addTo(log, Array(494).fill('-'));
  addTo(log, failure('tasks.start', OTHER_FRAME, 'AssertionError'));
  addTo(log, Array(500 - length).fill('-'));
  expect(log.lines[0]).toBe('error handling tasks.start');
  expect(await tracebacks.find(NO_TEXT)).toBe([FIRST, ...OTHER_FRAME, 'AssertionError'].join('\n'));
});
