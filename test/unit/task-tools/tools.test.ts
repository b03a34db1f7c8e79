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
async function used(name: string, input: unknown, printed: Partial<Printed> = {}, folder = '/tasks') {
  const lines: (readonly string[])[] = [];
  const host = {
    folder,
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
    const listed = TASK_TOOLS.map((tool) => {
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
    ).toEqual(listed);
    expect(listed.map(({ name }) => name)).toEqual([...TASK_TOOL_NAMES]);
  });

  it('say which of them run code', () => {
    expect(TASK_TOOLS.filter(({ runsCode }) => runsCode).map(({ name }) => name)).toEqual(['run_task', 'rescore_runs']);
  });

  it('ask the user before they run code or write files', () => {
    const confirmed = TASK_TOOLS.flatMap((tool) => {
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
    expect(confirmed).toEqual([
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
    const printed = { out: JSON.stringify({ steps: [step] }) };
    const { content } = (await used('read_run', { run: 'run', picture: true }, printed, folder)).result;
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
    expect((await used(name, input)).lines).toEqual([line]);
  });

  it('run a task by its address, which is never an option', async () => {
    const { lines } = await used('run_task', { address: '--out=/', agent: '--x', seed: 3 }, { out: '{"runs":[]}' });
    expect(lines).toEqual([['run', '--json', '--agent=--x', '--seed=3', '--timeout=300', '--', '--out=/']]);
  });

  it('refuse what is outside of the folder, and other inputs', async () => {
    for (const [name, input] of [
      ['list_tasks', { path: '../x' }],
      ['read_run', { run: '/elsewhere' }],
      ['run_task', { address: 'a', out: '/tmp' }],
      ['run_task', {}],
    ] as const) {
      const { lines, result } = await used(name, input);
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
      ['list_tasks', { path: 'up/secret.tasks.json' }],
      ['list_tasks', { path: '../secret.tasks.json#x/../work/y' }],
      ['read_run', { run: 'up/run' }],
      ['read_run', { run: 'a#/../../run' }],
      ['run_task', { address: 'a', agent: `replay:${join(root, 'secret.actions')}` }],
      ['run_task', { address: 'a', agent: 'module:../agent.ts' }],
    ] as const) {
      const { lines, result } = await used(name, input, {}, folder);
      expect([name, input, lines, result.isError]).toEqual([name, input, [], true]);
    }
    const ownFiles = { address: 'a', agent: 'replay:linked' };
    expect((await used('run_task', ownFiles, { out: '{"runs":[]}' }, folder)).lines).toHaveLength(1);
    // What a search finds is read.
    expect((await used('validate_tasks', { path: 'linked' }, {}, folder)).lines).toHaveLength(1);
  });

  it('say in words why a command line failed', async () => {
    const out = JSON.stringify({ error: { message: 'No tasks found.', code: 'no_tasks' } });
    expect((await used('run_task', { address: 'a' }, { out, exit: 2 })).result).toEqual({
      content: [{ type: 'text', text: 'No tasks found.' }],
      isError: true,
    });
  });
});

it('A page of a long answer says how to read on', () => {
  expect(page('a\nb\nc\n', { limit: 2, offset: 0 })).toBe('a\nb\n… 1 more line. Read on with offset 2.');
  expect(page('a\nb\nc\n', { limit: 2, offset: 2 })).toBe('c');
});
