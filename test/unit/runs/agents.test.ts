import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Agent, Answer, Turn } from '../../../src/runs/agents/agent.ts';
import { openAgent } from '../../../src/runs/agents/open.ts';
import { splitWords } from '../../../src/runs/agents/process/words.ts';
import { readActions } from '../../../src/runs/agents/replay/replay.ts';
import { parseAgent } from '../../../src/runs/agents/spec.ts';
import { solutionOf } from '../../../src/runs/solutions/solution-file.ts';
import { fileIn, task, temporaryFolder } from './tasks.ts';

describe('a command is split like a shell’s words', () => {
  it.each([
    ['python3 agent.py', ['python3', 'agent.py']],
    ['  a \t b  ', ['a', 'b']],
    [`python3 'my agent.py' --name "Ada L."`, ['python3', 'my agent.py', '--name', 'Ada L.']],
    [`a'b c'd`, ['ab cd']],
    ['my\\ agent', ['my agent']],
    [`"say \\"hi\\" \\n"`, ['say "hi" \\n']],
    [`'no \\ escape'`, ['no \\ escape']],
    [`a '' ""`, ['a', '', '']],
    ['$HOME *.py; rm -rf ~ | cat', ['$HOME', '*.py;', 'rm', '-rf', '~', '|', 'cat']],
    ['', []],
  ])('%s', (command, words) => {
    expect(splitWords(command, 'linux')).toEqual(words);
  });

  it('takes no backslash out of a path on Windows', () => {
    expect(splitWords('C:\\Python\\python.exe "C:\\my agents\\a.py"', 'win32')).toEqual([
      'C:\\Python\\python.exe',
      'C:\\my agents\\a.py',
    ]);
  });

  it('sees a quote that is never closed', () => {
    expect(splitWords(`python3 'agent.py`)).toBeNull();
    expect(splitWords('python3 "agent.py')).toBeNull();
  });
});

describe('an agent is named', () => {
  it('as noop, or by a file relative to the current folder', async () => {
    const folder = await temporaryFolder();
    await fileIn(folder, 'log-in.actions', '');
    await fileIn(folder, 'my.agent.ts', '');
    await mkdir(join(folder, 'run-1'));
    expect(parseAgent('noop', folder)).toEqual({ kind: 'noop' });
    expect(parseAgent('replay:log-in.actions', folder)).toEqual({
      kind: 'replay',
      path: join(folder, 'log-in.actions'),
      recorded: false,
    });
    expect(parseAgent('replay:run-1', folder)).toEqual({ kind: 'replay', path: join(folder, 'run-1'), recorded: true });
    expect(parseAgent('module:my.agent.ts', folder)).toEqual({ kind: 'module', path: join(folder, 'my.agent.ts') });
    expect(parseAgent('process:python3 "my agent.py"', folder)).toEqual({
      kind: 'process',
      command: 'python3',
      args: ['my agent.py'],
    });
  });

  it.each([
    ['replay', 'names no file'],
    ['replay:', 'names no file'],
    ['process:  ', 'names no command'],
    ['process:python3 "x', 'quote is never closed'],
    ['claude', 'Choose noop, replay:FILE'],
    ['noop:x', 'Choose noop, replay:FILE'],
    ['replay:nowhere.actions', 'There is no'],
    ['module:nowhere.ts', 'There is no'],
    ['module:.', 'is no file'],
  ])('%s is refused: %s', (name, words) => {
    expect(() => parseAgent(name, '/tmp')).toThrow(words);
  });
});

describe('a file of actions', () => {
  it('holds an action a line; blank lines and comments are nothing', () => {
    const text = [
      '\uFEFF# how to log in',
      '',
      "fill('#user', 'ada')",
      '  // then',
      '  {"type": "click", "selector": "#go"}  ',
      "goto('https://x.test/#top')",
    ].join('\r\n');
    expect(readActions(text, '/t/a.actions')).toEqual([
      "fill('#user', 'ada')",
      { type: 'click', selector: '#go' },
      "goto('https://x.test/#top')",
    ]);
  });

  it('names the line that is broken', () => {
    expect(() => readActions('noop()\n\n{"type": ', '/t/a.actions')).toThrow('/t/a.actions:3: this line is not JSON');
    expect(() => readActions('{"text": "x"}', '/t/a.actions')).toThrow('/t/a.actions:1: an action needs a "type"');
  });

  it('is replayed line by line, and its end is known beforehand', async () => {
    const folder = await temporaryFolder();
    await fileIn(folder, 'a.actions', "click('a')\nclick('b')\n");
    const agent = await openAgent('replay:a.actions', { cwd: folder, program: '', log: () => {} });
    const act = (): Promise<Answer> => agent.act({} as Turn, new AbortController().signal);
    expect(agent.exhausted).toBe(false);
    expect([await act(), await act()]).toEqual(["click('a')", "click('b')"]);
    expect(agent.exhausted).toBe(true);
    expect(await act()).toBeNull();
  });

  it('of a folder that holds no run cannot be replayed', async () => {
    const folder = await temporaryFolder();
    const opening: Promise<Agent> = openAgent(`replay:${folder}`, { cwd: folder, program: '', log: () => {} });
    await expect(opening).rejects.toMatchObject({ name: 'AgentError', code: 'agent_broken' });
  });
});

describe('the solution of a task', () => {
  it('lies beside its file and has its id, or its index', async () => {
    const folder = await temporaryFolder();
    const file = await fileIn(folder, 'shop.task.json', '{}');
    expect(solutionOf(task({ file, id: 'shop' }))).toBeNull();
    const byId = await fileIn(folder, 'shop.actions', '');
    const byIndex = await fileIn(folder, '3.actions', '');
    expect(solutionOf(task({ file, id: 'shop' }))).toBe(byId);
    expect(solutionOf(task({ file, id: null, index: 3 }))).toBe(byIndex);
  });

  it('is never looked for outside the folder', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'tasks'));
    await fileIn(folder, 'other.actions', '');
    expect(solutionOf(task({ file: join(folder, 'tasks', 't.task.json'), id: '../other' }))).toBeNull();
  });
});
