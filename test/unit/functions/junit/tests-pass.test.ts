import { describe, expect, it } from 'vitest';
import type { Json } from '../../../../src/base/json.ts';
import { AgentFault } from '../../../../src/functions/agent-fault.ts';
import type { CommandResult, Workspace } from '../../../../src/functions/declaration.ts';
import { runCall } from '../../../../src/functions/evaluate.ts';
import { NO_USER_FUNCTIONS } from '../../../../src/functions/user/load.ts';

const PASSED = '<testsuite><testcase name="a"/><testcase name="b"/></testsuite>';
const HALF = '<testsuite><testcase name="a"/><testcase name="b"><failure/></testcase></testsuite>';

type Files = Readonly<Record<string, string>>;

/** A folder in memory. `written` are the files that the command writes. */
function workspaceWith(files: Map<string, string>, written: Files, result: Partial<CommandResult>): Workspace {
  return {
    folder: '/work',
    read: async (path, mostBytes = 10_000_000) => {
      const text = files.get(path);
      if (text !== undefined && text.length > mostBytes) throw new AgentFault('too large');
      return text === undefined ? null : Buffer.from(text);
    },
    write: async (path, content) => void files.set(path, content.toString()),
    files: async (path) => [...files.keys()].filter((file) => file === path || file.startsWith(`${path}/`)).toSorted(),
    remove: async (...paths) => {
      for (const path of paths) if (!files.delete(path)) throw new AgentFault(`no ${path}`);
    },
    run: async () => {
      for (const [path, text] of Object.entries(written)) files.set(path, text);
      return { output: '', truncated: false, exitCode: 0, timedOut: false, ...result };
    },
  };
}

const judge = (
  args: readonly Json[],
  written: Files,
  { before = {}, ...result }: Partial<CommandResult> & { before?: Files } = {},
) =>
  runCall(
    { function: 'tests_pass', args: ['make test', ...args] },
    'evaluate',
    {
      workspace: workspaceWith(new Map(Object.entries(before)), written, result),
      response: null,
      actions: [],
      actionTimeout: 0,
    },
    NO_USER_FUNCTIONS,
  );

describe('tests_pass', () => {
  it('reads all XML files of a folder that the command wrote', async () => {
    const written = { 'reports/a/TEST-A.xml': PASSED, 'reports/TEST-B.xml': HALF, 'reports/B.txt': 'text' };
    const before = { 'reports/TEST-Old.xml': PASSED, 'reports/TEST-B.xml': PASSED };
    expect(await judge(['reports'], written, { before, exitCode: 1 })).toMatchObject({
      value: 0.75,
      reason: '3 of 4 tests pass',
    });
  });

  it.each<[string, Files, Files?]>([
    ['missing', {}],
    ['not one of these tests', {}, { 'r.xml': PASSED }],
    ['empty', { 'r.xml': '' }],
    ['cut short', { 'r.xml': '<testsuite><testcase name="a"/>' }],
    ['in a folder without XML files', { 'r.xml/a.txt': PASSED }],
  ])('is worth 0 because of the agent if the report is %s', async (_, written, before = {}) => {
    expect(await judge(['r.xml'], written, { before })).toMatchObject({ value: 0, blame: 'agent' });
  });

  it('reads large reports', async () => {
    const text = 'text &lt; '.repeat(1_200_000);
    const written = { 'r.xml': PASSED.replace('<testcase', `<system-out>${text}</system-out><testcase`) };
    expect(await judge(['r.xml'], written)).toMatchObject({ value: 1 });
  });

  it('says how the command ended if it wrote no report', async () => {
    expect(await judge(['r.xml'], {}, { exitCode: 127, output: 'pytest: not found' })).toMatchObject({
      reason: '“make test” exited with code 127 and wrote no report “r.xml”; last output: “pytest: not found”',
    });
  });

  it('is an error if a complete report cannot be read', async () => {
    expect(await judge(['r.xml'], { 'r.xml': '<TestRun/>' })).toMatchObject({
      error: {
        code: 'call_threw',
        message:
          '`tests_pass` failed: “r.xml”: no root element is <testsuites> or <testsuite>. Let the command write a JUnit report there',
      },
    });
  });

  it.each<[string, Json, string, Partial<CommandResult>, number]>([
    ['that pass although others fail', { fail_to_pass: ['a'] }, HALF, { exitCode: 1 }, 1],
    ['of which one fails', { fail_to_pass: ['a'], pass_to_pass: ['b'] }, HALF, { exitCode: 1 }, 0],
    ['that did not run', { pass_to_pass: ['a', 'c'] }, PASSED, {}, 0],
    ['that pass in a command that fails', { pass_to_pass: ['a'] }, PASSED, { exitCode: 1 }, 0],
    ['that pass in a command that times out', { pass_to_pass: ['a'] }, HALF, { timedOut: true }, 0],
    ['none, only a time limit', { timeout_s: 5 }, HALF, {}, 0.5],
    ['none, only a time limit as a number', 5, HALF, {}, 0.5],
  ])('judges named tests: %s', async (_, options, xml, result, value) => {
    expect(await judge(['r.xml', options], { 'r.xml': xml }, result)).toMatchObject({ value });
  });

  it.each<[Json]>([
    [{ fail_to_pass: [] }],
    [{ fail_to_pass: 'a' }],
    [{ tests: ['a'] }],
    [{ fail_to_pass: [], pass_to_pass: [] }],
    ['60'],
    [0],
  ])('refuses the options %j', async (options) => {
    expect(await judge(['r.xml', options], { 'r.xml': PASSED })).toMatchObject({
      error: { code: 'invalid_arguments' },
    });
  });
});
