import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Changes } from '../../../src/environments/coding/changes.ts';
import { recordedWorkspace } from '../../../src/environments/coding/recorded-workspace.ts';
import { unrecordedContext } from '../../../src/environments/unrecorded.ts';
import type { Workspace } from '../../../src/functions/declaration.ts';
import { unifiedDiff } from '../../../src/functions/unified-diff.ts';

const MEGABYTE = 1024 * 1024;

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'changes-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

it('holds no more than 64 MB of what an agent has written', async () => {
  const folder = emptyFolder();
  const changes = new Changes(folder, { read: async () => null, leftOut: [] });
  for (let index = 0; index < 50; index += 1) {
    const file = join(folder, `${index}.bin`);
    writeFileSync(file, '');
    truncateSync(file, 9 * MEGABYTE);
  }
  const all = await changes.all();
  expect(all.length).toBe(50);
  expect(all.reduce((sum, { after }) => sum + (after?.length ?? 0), 0)).toBe(63 * MEGABYTE);
});

it('records no more than 16 MB of texts in one step, and names the others', async () => {
  const folder = emptyFolder();
  const changes = new Changes(folder, { read: async () => null, leftOut: [] });
  for (let index = 0; index < 40; index += 1) {
    writeFileSync(join(folder, `${index}.txt`), `${index}\n`.padEnd(MEGABYTE, 'x'));
  }
  const record = await changes.record();
  expect(record.changes.length).toBe(40);
  expect(Object.keys(record.contents).length).toBe(16);
  expect(record.changes.filter(({ after }) => after !== undefined).length).toBe(16);
});

/** The workspace of a recording with these changes. */
function restore({ changes, contents }: Awaited<ReturnType<Changes['record']>>): Workspace {
  const moment = { page: null, resources: contents, actions: [], response: null, changes, fresh: false };
  return recordedWorkspace(moment, unrecordedContext('files are not recorded', moment).workspace);
}

it('finds and records modes and links, without what links lead to', async () => {
  const folder = emptyFolder();
  const place = (name: string): string => join(folder, name);
  writeFileSync(place('run.sh'), 'x\n');
  writeFileSync(place('file'), 'x\n');
  mkdirSync(place('sub'));
  writeFileSync(place('sub/x'), 'x\n');
  symlinkSync('file', place('old'));
  const texts: Readonly<Record<string, string>> = { 'run.sh': 'x\n', file: 'x\n', 'sub/x': 'x\n', old: 'file' };
  const changes = new Changes(folder, { read: async (path) => Buffer.from(texts[path] ?? ''), leftOut: [] });
  expect(changes.paths).toEqual(['file', 'run.sh', 'sub/x']);
  chmodSync(place('run.sh'), 0o755);
  rmSync(place('old'));
  symlinkSync('sub', place('old'));
  symlinkSync('sub/x', place('link'));
  symlinkSync(tmpdir(), place('out'));
  symlinkSync('nowhere', place('broken'));
  const all = await changes.all();
  const newLink = (path: string, target: string): string =>
    `diff --git a/${path} b/${path}\nnew file mode 120000\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,1 @@\n+${target}\n\\ No newline at end of file\n`;
  expect(all.map(unifiedDiff).join('')).toBe(
    `${newLink('broken', 'nowhere')}${newLink('link', 'sub/x')}diff --git a/old b/old\n--- a/old\n+++ b/old\n@@ -1,1 +1,1 @@\n-file\n\\ No newline at end of file\n+sub\n\\ No newline at end of file\n${newLink('out', tmpdir())}diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n`,
  );
  // What is as it was is no change.
  chmodSync(place('run.sh'), 0o644);
  expect((await changes.all()).map(({ path }) => path)).toEqual(['broken', 'link', 'old', 'out']);
  chmodSync(place('run.sh'), 0o755);

  const record = await changes.record();
  expect(Object.values(record.contents).map(String).toSorted()).toEqual(
    ['file', 'nowhere', 'sub', 'sub/x', tmpdir(), 'x\n'].toSorted(),
  );
  const workspace = restore(record);
  expect(await workspace.changes?.()).toEqual(
    all.map((change) => ({ ...change, before: change.before && Buffer.from(change.before) })),
  );
  expect(await workspace.read('run.sh')).toEqual(Buffer.from('x\n'));
  expect(await workspace.read('./link')).toEqual(Buffer.from('x\n'));
  await expect(workspace.read('out')).rejects.toThrow('“out” leads out of the folder of the task, by a link');
  await expect(workspace.read('broken')).rejects.toThrow('“broken” is a link that leads nowhere');
  await expect(workspace.read('old')).rejects.toThrow('“old” is a folder');
});

it('reads recordings without modes as they were', async () => {
  const name = 'a'.repeat(64);
  const workspace = restore({
    changes: [{ path: 'a', kind: 'added', after: name }],
    contents: { [name]: Buffer.from('x\n') },
  });
  const all = await workspace.changes?.();
  expect(all?.map(unifiedDiff)).toEqual(['--- /dev/null\n+++ b/a\n@@ -0,0 +1,1 @@\n+x\n']);
});
