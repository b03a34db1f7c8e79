import { readFileSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TASK_TOOL_NAMES } from '../../../src/editor/names.ts';
import { listingOf, nameInEditor } from '../../../src/task-tools/listing.ts';
import { page } from '../../../src/task-tools/paging.ts';
import { type Printed, useTool } from '../../../src/task-tools/tool.ts';
import { TASK_TOOLS } from '../../../src/task-tools/tools.ts';
import { fileIn, temporaryFolder } from '../runs/tasks.ts';

const manifest = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));

/** The command lines that a tool carries out, and what it answers. */
async function useToolIn(name: string, input: unknown, printed: Partial<Printed> = {}, folder = '/tasks') {
  const lines: (readonly string[])[] = [];
  const host = {
    folder,
    runOptions: ['--placement', 'docker'],
    run: async (args: readonly string[]) => {
      lines.push(args);
      return { out: '', notes: '', exit: 0, ...printed };
    },
  };
  const tool = TASK_TOOLS.find((one) => one.name === name);
  if (tool === undefined) throw new Error(name);
  const result = await useTool(tool, input, host, new AbortController().signal);
  return { lines, result };
}

describe('the tools for coding agents', () => {
  it('are those of package.json, with the same inputs', () => {
    const listings = TASK_TOOLS.map((tool) => {
      const { inputSchema, description } = listingOf(tool);
      return { name: nameInEditor(tool), modelDescription: description, inputSchema };
    });
    expect(
      manifest.contributes.languageModelTools.map(
        (one: { name: string; modelDescription: string; inputSchema: unknown }) => ({
          name: one.name,
          modelDescription: one.modelDescription,
          inputSchema: one.inputSchema,
        }),
      ),
    ).toEqual(listings);
    expect(listings.map(({ name }) => name)).toEqual([...TASK_TOOL_NAMES]);
  });

  it('say which of them run code', () => {
    expect(TASK_TOOLS.filter(({ runsCode }) => runsCode).map(({ name }) => name)).toEqual(['run_task', 'rescore_runs']);
  });

  it('announce only those as read-only that run no code and write no files', () => {
    const readOnly = TASK_TOOLS.filter((tool) => listingOf(tool).annotations.readOnlyHint).map(({ name }) => name);
    expect(readOnly).toEqual(['list_tasks', 'read_run', 'explain_rule']);
  });

  it('ask the user before they run code or write files', () => {
    const confirmedTools = TASK_TOOLS.flatMap((tool) => {
      const inputs: Record<string, unknown>[] = [
        { path: 'a', repair: 'safe' },
        { path: 'a' },
        { address: 'a' },
        { run: 'a' },
        { code: 'a' },
      ];
      const asked = inputs.filter((input) => {
        const parsed = tool.input.safeParse(input);
        return parsed.success && tool.confirms(parsed.data);
      });
      return asked.map((input) => [tool.name, input]);
    });
    expect(confirmedTools).toEqual([
      ['validate_tasks', { path: 'a', repair: 'safe' }],
      ['run_task', { address: 'a' }],
      ['rescore_runs', { run: 'a' }],
    ]);
  });

  it('read no picture through a link out of the folder of the run', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'run', 'screens'), { recursive: true });
    await fileIn(folder, 'secret.png', Buffer.from('89504e47', 'hex').toString('latin1'));
    await symlink(join(folder, 'secret.png'), join(folder, 'run', 'screens', 'a.png'));
    const step = { index: 0, source: 'agent', info: {}, observation: { text: 'Shop', screenshot: 'screens/a.png' } };
    const output = { out: JSON.stringify({ steps: [step] }) };
    const { content } = (await useToolIn('read_run', { run: 'run', picture: true }, output, folder)).result;
    expect(content.map((part) => part.type)).toEqual(['text', 'text']);
    expect(content[1]).toMatchObject({ text: expect.stringContaining('a link out of the folder of the run') });
  });

  it.each([
    ['list_tasks', {}, ['list', '--', '.']],
    ['validate_tasks', { path: 'a.task.json' }, ['validate', '--fixes', '--', 'a.task.json']],
    ['validate_tasks', { repair: 'safe' }, ['validate', '--fix', '--fixes', '--', '.']],
    ['validate_tasks', { repair: 'likely' }, ['validate', '--fix', '--likely', '--fixes', '--', '.']],
    ['rescore_runs', { run: 'r', every_step: true }, ['rescore', '--every-step', '--', 'r']],
    ['read_run', { run: '/tasks/r' }, ['show', '--', 'r']],
  ])('%s %j is a command line', async (name, input, line) => {
    expect((await useToolIn(name, input)).lines).toEqual([line]);
  });

  it('run a task by its address, which is never an option', async () => {
    const { lines } = await useToolIn(
      'run_task',
      { address: '--out=/', agent: '--x', seed: 3 },
      { out: '{"runs":[]}' },
    );
    const settings = ['--placement', 'docker'];
    const options = ['--json', ...settings, '--agent=--x', '--seed=3', '--timeout=300'];
    expect(lines).toEqual([['run', ...options, '--', '--out=/']]);
  });

  it('refuse what is outside of the folder, and other inputs', async () => {
    for (const [name, input] of [
      ['list_tasks', { path: '../x' }],
      ['read_run', { run: '/elsewhere' }],
      ['run_task', { address: 'a', out: '/tmp' }],
      ['run_task', {}],
      ['run_task', { address: 'a', agent: 'mcp' }],
      ['run_task', { address: 'a', offset: 40 }],
      ['validate_tasks', { repair: 'safe', offset: 40 }],
    ] as const) {
      const { lines, result } = await useToolIn(name, input);
      expect(result.isError).toBe(true);
      expect(lines).toEqual([]);
    }
  });

  it('refuse links, addresses, and files of agents out of the folder', async () => {
    const root = await temporaryFolder();
    const folder = join(root, 'work');
    await mkdir(join(folder, 'linked'), { recursive: true });
    await fileIn(root, 'secret.tasks.json', '[]');
    await fileIn(root, 'secret.actions', '');
    await symlink(join(root, 'secret.tasks.json'), join(folder, 'linked', 'a.tasks.json'));
    await symlink(root, join(folder, 'up'));
    await fileIn(folder, 'a', '');
    for (const [name, input] of [
      ['validate_tasks', { path: 'linked/a.tasks.json' }],
      ['validate_tasks', { path: 'linked', repair: 'safe' }],
      ['validate_tasks', { path: 'linked' }],
      ['list_tasks', { path: 'linked' }],
      ['run_task', { address: 'linked' }],
      ['list_tasks', { path: 'up/secret.tasks.json' }],
      ['list_tasks', { path: '../secret.tasks.json#x/../work/y' }],
      ['read_run', { run: 'up/run' }],
      ['read_run', { run: 'a#/../../run' }],
      ['run_task', { address: 'a', agent: `replay:${join(root, 'secret.actions')}` }],
      ['run_task', { address: 'a', agent: 'module:../agent.ts' }],
    ] as const) {
      const { lines, result } = await useToolIn(name, input, {}, folder);
      expect([name, input, lines, result.isError]).toEqual([name, input, [], true]);
    }
    const ownFiles = { address: 'a', agent: 'replay:linked' };
    expect((await useToolIn('run_task', ownFiles, { out: '{"runs":[]}' }, folder)).lines).toHaveLength(1);
  });

  it('explain why a command line failed', async () => {
    const out = JSON.stringify({ error: { message: 'No tasks found.', code: 'no_tasks' } });
    expect((await useToolIn('run_task', { address: 'a' }, { out, exit: 2 })).result).toEqual({
      content: [{ type: 'text', text: 'No tasks found.' }],
      isError: true,
    });
  });
});

describe('an answer', () => {
  const runs = [0, 1].map((number) => ({ task_id: `t${number}`, trace_dir: `/tasks/job/r${number}` }));

  /** The text of what a tool answers. */
  async function answer(...of: Parameters<typeof useToolIn>): Promise<string> {
    const { content, isError } = (await useToolIn(...of)).result;
    const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
    return isError ? `Error: ${text}` : text;
  }

  it('of a run has its folder and its verdict before its log', async () => {
    const notes = '[t0] loaded\n    │ twice\n✓ 1.00 t0\n    ✓ 1.00 equals  yes\n[t1] x\n✗ 0.00 t1\n1 of 2 passed\n';
    expect(await answer('run_task', { address: 'a' }, { out: JSON.stringify({ runs }), notes })).toBe(
      [
        ...['Recorded runs, for read_run:', 't0: job/r0', 't1: job/r1'],
        ...['✓ 1.00 t0', '    ✓ 1.00 equals  yes', '✗ 0.00 t1', '1 of 2 passed'],
        ...['[t0] loaded', '    │ twice', '[t1] x'],
      ].join('\n'),
    );
  });

  it('that is cut says how to read the rest without acting again', async () => {
    const out = JSON.stringify({ runs });
    expect(await answer('run_task', { address: 'a', limit: 2 }, { out })).toContain('read_run with job.');
    const lines = { out: 'a\nb\nc\n' };
    expect(await answer('rescore_runs', { run: 'a', limit: 2 }, lines)).toContain('re-score that run alone.');
    expect(await answer('validate_tasks', { repair: 'safe', limit: 2 }, lines)).toContain('again without repair.');
    expect(await answer('validate_tasks', { limit: 2 }, lines)).toContain('Read on with offset 2.');
  });

  it('about a step of a job says that one run is needed', async () => {
    const one = 'Error: job is not a single run. Specify the folder of one run.';
    const output = { out: JSON.stringify({ job_id: 'j', runs }) };
    expect(await answer('read_run', { run: 'job', step: 0 }, output)).toBe(one);
    expect(await answer('read_run', { run: 'job', picture: true }, { out: '[]' })).toBe(one);
    const missing = { out: JSON.stringify({ error: { message: 'No run.', code: 'trace_missing' } }), exit: 2 };
    expect(await answer('read_run', { run: 'job', step: 0 }, missing)).toBe('Error: No run.');
  });

  it('without a result of the command line has its notes', async () => {
    expect(await answer('run_task', { address: 'a' }, { exit: 1, notes: 'Out of memory.\n' })).toBe(
      'Error: Out of memory.',
    );
    expect(await answer('run_task', { address: 'a' }, { exit: 1, out: '{"ru' })).toBe(
      'Error: Taskwright ended without a result.',
    );
  });

  it('does not name options of the command line where no task has a solution', async () => {
    const error = { code: 'no_agent', message: 'No task has a solution. Specify an agent with --agent: noop.' };
    expect(await answer('run_task', { address: 'a' }, { exit: 2, out: JSON.stringify({ error }) })).toBe(
      'Error: No task has a solution. Specify an agent.',
    );
  });

  it('about a step is cut unless the full text is requested', async () => {
    const [action, text] = ['a'.repeat(9_000), 'o'.repeat(9_000)];
    const step = { index: 0, source: 'agent', action, info: {}, observation: { text, screenshot: null } };
    const out = JSON.stringify({ steps: [step] });
    const short = await answer('read_run', { run: 'r', step: 0 }, { out });
    expect(short.length).toBeLessThan(8_200);
    expect(short).toContain('… (9000 characters)\nAsk for all of it with full.');
    const full = await answer('read_run', { run: 'r', step: 0, full: true }, { out });
    expect(full).toContain(action);
    expect(full).toContain(text);
  });

  it('has whole lines only if the full text is requested', async () => {
    const line = 'x'.repeat(5_000);
    expect(await answer('read_run', { run: 'r' }, { out: line })).toBe(`${'x'.repeat(1_000)}… (5000 characters)`);
    expect(await answer('read_run', { run: 'r', full: true }, { out: line })).toBe(line);
  });
});

it('A page of a long answer says how to read on', () => {
  expect(page('a\nb\nc\n', { limit: 2, offset: 0 })).toBe('a\nb\n… 1 more line. Read on with offset 2.');
  expect(page('a\nb\nc\n', { limit: 2, offset: 2 })).toBe('c');
});
