import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkImports } from '../../scripts/import-rules.ts';
import { root } from '../../scripts/places.ts';

/** A repository with hardly any sources. */
let empty: string;

/** What it has: files that run in a webview, and files that do not. */
const SOURCES = {
  'src/presentation/runs/messages.ts': "import * as z from 'zod';\n",
  'src/tasks/task.ts': "import * as z from 'zod';\n",
  'src/tasks/reader.ts': "import { taskSchema } from './task.ts';\n",
  'src/results/reward.ts': "import * as l10n from '@vscode/l10n';\nimport type { Task } from '../tasks/task.ts';\n",
};

beforeAll(async () => {
  empty = await mkdtemp(join(tmpdir(), 'taskwright-imports-'));
  await mkdir(join(empty, 'webview'));
  for (const [file, text] of Object.entries(SOURCES)) {
    await mkdir(dirname(join(empty, file)), { recursive: true });
    await writeFile(join(empty, file), text);
  }
});

afterAll(async () => {
  await rm(empty, { recursive: true, force: true });
});

/** What the check reports about one file, which is removed afterwards. */
async function plant(file: string, text: string): Promise<string[]> {
  const path = join(empty, file);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  try {
    return (await checkImports(empty)).filter((found) => found.file === file).map((found) => found.message);
  } finally {
    await rm(path);
  }
}

describe('the imports of the sources', () => {
  it('follow the rules in the sources as they are', async () => {
    expect(await checkImports(root)).toEqual([]);
  });

  it.each([
    ['a static import upward', 'src/tasks/planted.ts', "import { x } from '../actions/action.ts';"],
    ['a type import upward', 'src/tasks/planted.ts', "import type { x } from '../traces/trace.ts';"],
    ['an export upward', 'src/actions/planted.ts', "export * from '../functions/declaration.ts';"],
    ['a dynamic import upward', 'src/server/planted.ts', "const x = await import('../traces/trace.ts');"],
    ['a require upward', 'src/runs/planted.ts', "const x = require('../editor/panel/run-panel.ts');"],
    ['a type taken by import()', 'src/placement/planted.ts', "let x: import('../traces/trace.ts').Run;"],
    ['an import over several lines', 'src/tasks/planted.ts', "import {\n  x,\n  y,\n} from '../cli/main.ts';"],
    ['an import for its side effects', 'src/tasks/planted.ts', "import '../server/protocol.ts';"],
    ['an import in the same layer', 'src/cli/planted.ts', "import type { x } from '../editor/panel/run-panel.ts';"],
    ['the command line in the library', 'src/library/planted.ts', "import { x } from '../cli/command.ts';"],
    ['an import of the entry point', 'src/editor/planted.ts', "import { activate } from '../extension.ts';"],
    ['a folder that is not a layer', 'src/helpers/planted.ts', "import { x } from '../tasks/task.ts';"],
    ['vscode below the editor', 'src/runs/planted.ts', "import * as vscode from 'vscode';"],
    ['vscode by require', 'src/language/planted.ts', "const vscode = require('vscode');"],
    ['playwright-core loaded in a function', 'src/functions/planted.ts', "import { chromium } from 'playwright-core';"],
    ['playwright-core loaded later', 'src/editor/planted.ts', "const x = await import('playwright-core');"],
    ['playwright-core half as a type', 'src/cli/planted.ts', "import { type Page, chromium } from 'playwright-core';"],
    ['playwright instead of its engine', 'src/server/planted.ts', "import { chromium } from 'playwright';"],
    [
      'a value of the messages in the page',
      'webview/planted.ts',
      "import { x } from '../src/presentation/runs/messages.ts';",
    ],
    ['types of another file in the page', 'webview/planted.ts', "import type { Task } from '../src/tasks/task.ts';"],
    ['what imports a package in the page', 'webview/planted.ts', "import { x } from '../src/tasks/reader.ts';"],
    ['vscode in the page', 'webview/planted.ts', "import * as vscode from 'vscode';"],
    ['a test in a source', 'src/tasks/planted.ts', "import { x } from '../../test/unit/import-rules.test.ts';"],
  ])('refuse %s', async (_what, file, text) => {
    expect(await plant(file, text)).toHaveLength(1);
  });

  it('let the command line print through its output only', async () => {
    const message = 'the command line writes to the terminal through Output only';
    expect(await plant('src/cli/commands/loud.ts', "process.stdout.write('x');\n")).toEqual([message]);
    expect(await plant('src/cli/commands/loud.ts', "console.error('x');\n")).toEqual([message]);
    expect(await plant('src/cli/commands/quiet.ts', "output.print('process');\n")).toEqual([]);
  });

  it('start no program by a shell', async () => {
    const message = 'start programs with an array of arguments, not by a shell';
    expect(await plant('src/server/planted.ts', "import { exec } from 'node:child_process';\n")).toEqual([message]);
    expect(await plant('src/server/planted.ts', "import { execSync, spawn } from 'node:child_process';\n")).toEqual([
      message,
    ]);
    expect(await plant('src/server/planted.ts', 'spawn(command, { shell: true });\n')).toEqual([message]);
    expect(await plant('src/server/planted.ts', "import { execFile, spawn } from 'node:child_process';\n")).toEqual([]);
  });

  it('show messages only without links and control characters', async () => {
    const message = 'show messages with `notifications.ts`, which removes links and control characters';
    const source = 'void vscode.window.showErrorMessage(text);\n';
    expect(await plant('src/editor/planted.ts', source)).toEqual([message]);
    expect(await plant('src/editor/notifications.ts', source)).toEqual([]);
  });

  it('compare no names of environments, placements, or agents', async () => {
    const message = 'read descriptors of environments, placements, and agents instead of comparing their names';
    expect(await plant('src/editor/planted.ts', "return environment === 'openenv';\n")).toEqual([message]);
    expect(await plant('src/editor/planted.ts', "const icon = placement !== 'local' ? 'package' : 'vm';\n")).toEqual([
      message,
    ]);
    expect(await plant('src/agents/mcp/planted.ts', "switch (name) {\n  case 'coding':\n}\n")).toEqual([message]);
    for (const name of ['mcp', 'hud', 'swarm', 'kubernetes', 'manual', 'replay', 'integration_test']) {
      expect(await plant('src/presentation/planted.ts', `return name === '${name}';\n`), name).toEqual([message]);
    }
    expect(await plant('src/editor/planted.ts', "if (event.type === 'step') return;\n")).toEqual([]);
  });

  it('name no value or function by a past participle', async () => {
    const message = 'name a value by a noun and a function by a verb, not by a past participle';
    expect(await plant('src/runs/planted.ts', 'const found = runs.at(-1);\n')).toEqual([message]);
    expect(await plant('src/runs/planted.ts', 'let kept: string | null = null;\n')).toEqual([message]);
    expect(await plant('webview/planted.ts', 'export async function told(): Promise<void> {}\n')).toEqual([message]);
    expect(await plant('src/runs/planted.ts', 'export class Found {}\n')).toEqual([message]);
    expect(await plant('src/runs/planted.ts', 'const foundation = last;\nconst { found } = runs;\n')).toEqual([]);
  });

  it('refuse what goes both ways between folders of a layer', async () => {
    const [first, second] = ['src/runs/store/first.ts', 'src/runs/job/second.ts'];
    for (const file of [first, second]) await mkdir(dirname(join(empty, file)), { recursive: true });
    await writeFile(join(empty, second), "import type { Run } from '../store/run.ts';\n");
    const message = (from: string, to: string): string =>
      `src/runs/${from} may not import src/runs/${to}, which imports it too`;
    try {
      expect(await plant(first, "import { plan } from '../job/plan.ts';\n")).toEqual([message('store', 'job')]);
      expect(await plant(first, "import { plan } from '../run/plan.ts';\n")).toEqual([]);
      // Through another folder.
      await writeFile(join(empty, 'src/runs/events.ts'), "import type { Job } from './job/job.ts';\n");
      expect(await plant(first, "import { RunEvent } from '../events.ts';\n")).toEqual([message('store', 'events.ts')]);
    } finally {
      await rm(join(empty, 'src/runs'), { recursive: true });
    }
  });

  it('refuse a circle', async () => {
    await writeFile(join(empty, 'biome.json'), await readFile(join(root, 'biome.json')));
    await writeFile(join(empty, 'src', 'first.ts'), "import type { b } from './second.ts';\nexport type a = b;\n");
    await writeFile(join(empty, 'src', 'second.ts'), "import type { a } from './first.ts';\nexport type b = a;\n");
    const biome = join(root, 'node_modules', '@biomejs', 'biome', 'bin', 'biome');
    const linted = promisify(execFile)(
      process.execPath,
      [biome, 'lint', '--colors=off', '--vcs-enabled=false', 'src'],
      { cwd: empty },
    );
    await expect(linted).rejects.toMatchObject({ stderr: expect.stringContaining('part of a cycle') });
  });

  it.each([
    ['an import downward', 'src/runs/planted.ts', "import { taskSchema } from '../tasks/task.ts';"],
    ['vscode in the editor', 'src/editor/planted.ts', "import * as vscode from 'vscode';"],
    ['playwright-core loaded by the server', 'src/server/planted.ts', "import { chromium } from 'playwright-core';"],
    ['a type of playwright-core', 'src/functions/planted.ts', "import type { Page } from 'playwright-core';"],
    ['types of playwright-core in braces', 'src/functions/planted.ts', "import { type Page } from 'playwright-core';"],
    ['what runs in a page', 'webview/planted.ts', "import { formatReward } from '../src/results/reward.ts';"],
    ['types of the messages', 'webview/planted.ts', "import type { x } from '../src/presentation/runs/messages.ts';"],
    [
      'what is only spoken of',
      'src/tasks/planted.ts',
      "// import { x } from '../traces/trace.ts';\n/* require('vscode') */",
    ],
  ])('allow %s', async (_what, file, text) => {
    expect(await plant(file, text)).toEqual([]);
  });
});
