import { mkdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { normaliseAction } from '../../../src/actions/normalise.ts';
import type { Agent, Answer, Turn } from '../../../src/agents/agent.ts';
import { splitWords } from '../../../src/agents/process/command-line.ts';
import { AGENT_KINDS, describeAgent, parseAgent } from '../../../src/agents/registry.ts';
import { readActions } from '../../../src/agents/replay/replay.ts';
import { actionDialect } from '../../../src/environments/kinds.ts';
import { solutionOf } from '../../../src/runs/solutions/solution-file.ts';
import { fileIn, task, temporaryFolder } from '../runs/tasks.ts';

function open(text: string, cwd: string): Promise<Agent> {
  const environment = { type: 'hud-browser' };
  return parseAgent(text, cwd).open({
    cwd,
    program: '',
    variables: [],
    environment,
    manualInput: null,
    log: () => {},
    show: () => {},
    offer: () => {},
  });
}

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

  it('keeps the backslashes of a path on Windows', () => {
    expect(splitWords('C:\\Python\\python.exe "C:\\my agents\\a.py"', 'win32')).toEqual([
      'C:\\Python\\python.exe',
      'C:\\my agents\\a.py',
    ]);
  });

  it('reports an unclosed quote', () => {
    expect(splitWords(`python3 'agent.py`)).toBeNull();
    expect(splitWords('python3 "agent.py')).toBeNull();
  });
});

describe('a kind of agent', () => {
  it.each(AGENT_KINDS.map((kind) => [kind.name, kind] as const))(
    '%s: its forms parse as itself',
    async (name, kind) => {
      const folder = await temporaryFolder();
      for (const form of kind.syntax) {
        const text = form.replace(/[A-Z_]+$/, '.');
        expect(form.split(':', 1)).toEqual([name]);
        // A folder is not a module.
        if (name === 'module') expect(() => parseAgent(text, folder)).toThrow('is not a file');
        else expect(parseAgent(text, folder).kind).toBe(kind);
      }
    },
  );

  it('has a label; an unknown agent is shown as it is', () => {
    const agents = ['noop', 'manual', 'replay:/a/b.actions', 'module:/a/bot.ts', 'process:python x.py', 'hud-0.2'];
    expect(agents.map(describeAgent)).toEqual([
      'no-op',
      'manual',
      'replay b.actions',
      'module bot.ts',
      'process python x.py',
      'hud-0.2',
    ]);
  });
});

describe('the name of an agent', () => {
  it('is noop, or has a file relative to the current folder', async () => {
    const folder = await temporaryFolder();
    await fileIn(folder, 'log-in.actions', '');
    await fileIn(folder, 'my.agent.ts', '');
    await mkdir(join(folder, 'run-1'));
    await fileIn(folder, 'my agent.py', '');
    const parsed = (text: string) => {
      const { kind, files } = parseAgent(text, folder);
      return [kind.name, ...files.map(({ path, role }) => `${role} ${relative(folder, path)}`)];
    };
    expect(parsed('noop')).toEqual(['noop']);
    expect(parsed('replay:log-in.actions')).toEqual(['replay', 'solution log-in.actions']);
    expect(parsed('replay:run-1')).toEqual(['replay', 'trace run-1']);
    expect(parsed('module:my.agent.ts')).toEqual(['module', 'agent my.agent.ts']);
    expect(parsed('process:python3 "my agent.py"')).toEqual(['process', 'agent my agent.py']);
  });

  it.each([
    ['replay', 'needs a file'],
    ['replay:', 'needs a file'],
    ['process:  ', 'needs a command'],
    ['process:python3 "x', 'unclosed quote'],
    ['claude', 'Use noop, replay:FILE, replay:RUN_FOLDER, integration_test, module:FILE, process:COMMAND, or mcp.'],
    ['noop:x', 'Use noop, replay:FILE'],
    ['replay:nowhere.actions', 'does not exist'],
    ['module:nowhere.ts', 'does not exist'],
    ['module:.', 'is not a file'],
  ])('%s is refused: %s', (name, words) => {
    expect(() => parseAgent(name, '/tmp')).toThrow(words);
  });
});

describe('a file of actions', () => {
  it.each(['\r\n', '\n', '\r'])('contains an action per line; blank lines and comments are ignored: %j', (lineEnd) => {
    const text = [
      '\uFEFF# how to log in',
      '',
      "fill('#user', 'ada')",
      '  // then',
      '  {"type": "click", "selector": "#go"}  ',
      "goto('https://x.test/#top')",
    ].join(lineEnd);
    expect(readActions(text, '/t/a.actions', { type: 'hud-browser' })).toEqual([
      "fill('#user', 'ada')",
      { type: 'click', selector: '#go' },
      "goto('https://x.test/#top')",
    ]);
  });

  it('reports the invalid line', () => {
    expect(() => readActions('noop()\n\n{"type": ', '/t/a.actions', { type: 'hud-browser' })).toThrow(
      '/t/a.actions:3: The line is not valid JSON',
    );
    expect(() => readActions('noop()\r\r{"type": ', '/t/a.actions', { type: 'hud-browser' })).toThrow(
      '/t/a.actions:3: The line is not valid JSON',
    );
    expect(() => readActions('{"text": "x"}', '/t/a.actions', { type: 'hud-browser' })).toThrow(
      '/t/a.actions:1: An action needs a "type"',
    );
  });

  it('is replayed line by line, with its end known in advance', async () => {
    const folder = await temporaryFolder();
    await fileIn(folder, 'a.actions', "click('a')\nclick('b')\n");
    const agent = await open('replay:a.actions', folder);
    const act = async (): Promise<Answer> => (await agent.act({} as Turn, new AbortController().signal)).actions;
    expect(agent.exhausted).toBe(false);
    expect([await act(), await act()]).toEqual(["click('a')", "click('b')"]);
    expect(agent.exhausted).toBe(true);
    expect(await act()).toBeNull();
  });

  it('that is a folder without a run cannot be replayed', async () => {
    const folder = await temporaryFolder();
    const opening = open(`replay:${folder}`, folder);
    await expect(opening).rejects.toMatchObject({ name: 'AgentError', code: 'agent_broken' });
  });
});

describe('the solution of a task', () => {
  it('is next to its file, named by its id or index', async () => {
    const folder = await temporaryFolder();
    const file = await fileIn(folder, 'shop.task.json', '{}');
    expect(solutionOf(task({ file, id: 'shop' }))).toBeNull();
    const byId = await fileIn(folder, 'shop.actions', '');
    const byIndex = await fileIn(folder, '3.actions', '');
    expect(solutionOf(task({ file, id: 'shop' }))).toBe(byId);
    expect(solutionOf(task({ file, id: null, index: 3 }))).toBe(byIndex);
  });

  it('is never searched for outside of the folder', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'tasks'));
    await fileIn(folder, 'other.actions', '');
    expect(solutionOf(task({ file: join(folder, 'tasks', 't.task.json'), id: '../other' }))).toBeNull();
  });
});

describe('an environment with actions of its own form', () => {
  it('accepts objects without a type, and only a response as a string', () => {
    const env = { type: 'openenv', url: 'http://localhost:8000' };
    const actions = readActions('{"move": "UP"}\nresponse("4")', '/t/a.actions', env);
    const dialect = actionDialect(env);

    expect(actions).toEqual([{ move: 'UP' }, 'response("4")']);
    expect(normaliseAction({ move: 'UP' }, dialect).actions).toEqual([{ type: 'object', value: { move: 'UP' } }]);
    expect(normaliseAction('response("4")', dialect).actions).toEqual([{ type: 'response', text: '4' }]);
    expect(normaliseAction({ type: 'response', text: '4' }, dialect).actions).toEqual([
      { type: 'response', text: '4' },
    ]);
    expect(normaliseAction({ type: 'response', text: '4', to: 1 }, dialect).actions).toMatchObject([
      { type: 'object' },
    ]);
    expect(normaliseAction("click('#a')", dialect).failure).toMatchObject({ code: 'unknown_action' });
    expect(normaliseAction({ move: 'UP' }).failure).toMatchObject({ code: 'invalid_action' });
  });
});
