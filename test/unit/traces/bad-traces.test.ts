import { execFileSync } from 'node:child_process';
import { mkdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { readForExport } from '../../../src/formats/runs/exporter.ts';
import { trajectoryOf } from '../../../src/formats/runs/hud/trajectory-exporter.ts';
import { runTask } from '../../../src/runs/run/runner.ts';
import { listJobs, openRun } from '../../../src/traces/store.ts';
import type { Step } from '../../../src/traces/trace.ts';
import { TraceError } from '../../../src/traces/trace-file.ts';
import { FUZZ_TIMEOUT, inputs } from '../../fuzz.ts';
import { FakePlacement } from '../runs/fake-placement.ts';
import { call, fileIn, task, temporaryFolder } from '../runs/tasks.ts';

let folder: string;
/** What the run's files hold, undamaged. */
let whole: { readonly trace: Buffer; readonly record: Buffer; readonly steps: readonly Step[] };

beforeEach(async () => {
  const root = await temporaryFolder();
  const agent = `replay:${await fileIn(root, 'agent.actions', 'a\nb\nc')}`;
  const plan = { agent, seed: 0, jobId: 'job', groupId: 'g', runId: 'run', out: root, cwd: root };
  const planWithTask = { ...plan, task: task({ evaluate: [call('f')] }) };
  await runTask(planWithTask, new FakePlacement(), () => {}, new AbortController().signal);
  folder = join(root, 'job', 'run');
  const steps = await (await openRun(folder)).steps();
  const trace = await readFile(join(folder, 'trace.jsonl'));
  whole = { trace, record: await readFile(join(folder, 'run.json')), steps };
});

const place = fc.double({ min: 0, max: 1, noNaN: true });
const piece = fc.oneof(
  fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes)),
  fc
    .constantFrom(
      '\n',
      '\r\n',
      '\0',
      '{',
      '}',
      '"',
      'null',
      '1e999',
      '-1',
      '[]',
      '"__proto__":{},',
      '\u001b[2J',
      '../..',
    )
    .map((text) => Buffer.from(text)),
);
const damage = fc.oneof(
  fc.record({ kind: fc.constant('cut' as const), at: place }),
  fc.record({ kind: fc.constant('put' as const), at: place, length: fc.nat(12), piece }),
  fc.record({ kind: fc.constant('double' as const), at: place }),
);
type Damage = typeof damage extends fc.Arbitrary<infer D> ? D : never;

/** The damaged bytes, and how many of the first are as they were. */
function applyDamage(bytes: Buffer, done: Damage): { readonly bytes: Buffer; readonly intact: number } {
  const at = Math.floor(done.at * bytes.byteLength);
  const before = bytes.subarray(0, at);
  switch (done.kind) {
    case 'cut':
      return { bytes: before, intact: at };
    case 'double':
      return { bytes: Buffer.concat([bytes, bytes.subarray(at)]), intact: bytes.byteLength };
    case 'put':
      return { bytes: Buffer.concat([before, done.piece, bytes.subarray(at + done.length)]), intact: at };
  }
}

/** Rejections are `TraceError`, whose words a person can read. */
async function readable<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    expect(error).toBeInstanceOf(TraceError);
    expect((error as Error).message).toMatch(/[.:] ?/);
    expect((error as Error).message).not.toMatch(/\[object|^\s*$/);
    return null;
  }
}

/** What must hold of a run whose files are broken from a place of its trace on. */
async function endure(intact: number): Promise<void> {
  await readable(() => listJobs(dirname(dirname(folder))));
  const run = await readable(() => openRun(folder));
  if (run === null) return;
  await readable(() => run.steps());
  await readable(async () => trajectoryOf(await readForExport(run)));
  // Lines before the damage are read as they were written: the first is the header.
  const lines = whole.trace.subarray(0, intact).toString('latin1').split('\n').length - 1;
  for (let index = 0; index < Math.min(lines - 1, whole.steps.length); index += 1) {
    expect(await run.step(index)).toEqual(whole.steps[index]);
  }
}

describe('reading a run with damaged files as far as possible', { timeout: FUZZ_TIMEOUT }, () => {
  it('in its trace', async () => {
    const property = fc.asyncProperty(damage, async (done) => {
      const { bytes, intact } = applyDamage(whole.trace, done);
      await writeFile(join(folder, 'trace.jsonl'), bytes);
      await endure(intact);
    });
    await fc.assert(property, inputs(60, 600));
  });

  it('in its record', async () => {
    const property = fc.asyncProperty(damage, async (done) => {
      await writeFile(join(folder, 'run.json'), applyDamage(whole.record, done).bytes);
      await endure(whole.trace.byteLength);
    });
    await fc.assert(property, inputs(60, 600));
  });

  it.each([
    [300, 'trace.jsonl', 'read'],
    [2_000, 'trace.jsonl', 'refused'],
    [200_000, 'trace.jsonl', 'refused'],
    [2_000, 'run.json', 'left out'],
    [200_000, 'run.json', 'left out'],
  ] as const)('with JSON that is nested %i levels deep in %s: %s', async (depth, name, outcome) => {
    const deep = `${'['.repeat(depth)}${']'.repeat(depth)}`;
    for (const key of ['"info":{', '"metadata":{', '"subscores":[', '"observation":{']) {
      await writeFile(join(folder, 'trace.jsonl'), whole.trace);
      await writeFile(join(folder, 'run.json'), whole.record);
      const text = await readFile(join(folder, name), 'utf8');
      const at = text.indexOf(key) + key.length;
      if (at < key.length) continue;
      const more = key.endsWith('{') ? `"deep":${deep}` : deep;
      await writeFile(
        join(folder, name),
        `${text.slice(0, at)}${more}${/[}\]]/.test(text[at] ?? '') ? '' : ','}${text.slice(at)}`,
      );
      await writeFile(join(folder, '..', 'job.json'), `{"job_id": "job", "plan": ${deep}}`);
      await endure(0);
      const messages: string[] = [];
      await listJobs(dirname(dirname(folder)), (_, { message }) => messages.push(message));
      const run = await readable(() => openRun(folder));
      const steps = run && (await readable(() => run.steps()));
      if (outcome === 'refused') expect(steps).toBeNull();
      else expect(steps).toHaveLength(whole.steps.length);
      if (outcome === 'left out')
        expect(messages).toEqual([expect.stringContaining('nested more than 1000 levels deep')]);
    }
  });

  it.each([
    ['a link to a device', (path: string) => symlink('/dev/zero', path)],
    ['a pipe', async (path: string) => void execFileSync('mkfifo', [path])],
    ['a link to itself', (path: string) => symlink(path, path)],
    ['a folder', (path: string) => mkdir(path)],
  ])('with %s in place of a file', async (_, put) => {
    for (const name of ['trace.jsonl', 'run.json', 'pages.br', '../job.json', 'owner.json']) {
      const path = join(folder, name);
      const before = await readFile(path).catch(() => null);
      await rm(path, { force: true });
      await put(path);
      await listJobs(dirname(dirname(folder)));
      const steps = openRun(folder).then((run) => run.steps());
      if (name === 'trace.jsonl') await expect(steps).rejects.toMatchObject({ name: 'TraceError' });
      await steps.catch(() => {});
      await rm(path, { recursive: true });
      if (before !== null) await writeFile(path, before);
    }
    expect((await openRun(folder)).record.status).toBe('completed');
  });

  it('and other errors would be reported', async () => {
    await expect(readable(() => Promise.reject(new TypeError('x is undefined')))).rejects.toThrow();
    await expect(readable(() => Promise.reject(new TraceError('trace_broken', ' ')))).rejects.toThrow();
  });
});

describe('the export of a run reports damage', () => {
  const NAME = 'screens/a.png';
  /** A picture elsewhere on this machine. */
  let PICTURE = '';
  beforeEach(async () => {
    PICTURE = await fileIn(await temporaryFolder(), 'a.png', '');
    await writeFile(PICTURE, Buffer.from([0x89, 0x50, 0x4e, 0x47]));
  });
  /** Exports the run with a picture in its second line; the trace ends as given. */
  async function exportedWith(end: string, picture?: (path: string) => Promise<void>) {
    const [header = '', first = '', ...rest] = whole.trace.toString('utf8').split('\n');
    const step = { ...(JSON.parse(first) as Step), observation: { text: null, screenshot: NAME } };
    await writeFile(join(folder, 'trace.jsonl'), [header, JSON.stringify(step), ...rest].join('\n') + end);
    await mkdir(join(folder, 'screens'), { recursive: true });
    await picture?.(join(folder, NAME));
    const run = await readForExport(await openRun(folder));
    return { trajectory: await trajectoryOf(run), warnings: run.warnings };
  }

  it.each([
    ['no such file or folder', undefined],
    ['it is neither PNG nor JPEG', (path: string) => writeFile(path, 'GIF89a')],
    ['it is neither PNG nor JPEG', (path: string) => writeFile(path, '')],
    // Only its size is large: nothing is written.
    [
      'it has 1074 MB, more than 64',
      async (path: string) => {
        await writeFile(path, '');
        await truncate(path, 2 ** 30);
      },
    ],
    ['it is a folder, not a file', (path: string) => mkdir(path)],
    ['it is a link out of the folder of the run', (path: string) => symlink(PICTURE, path)],
    [
      'it is a link out of the folder of the run',
      async (path: string) => {
        await rm(dirname(path), { recursive: true });
        await symlink(dirname(PICTURE), dirname(path));
      },
    ],
    ['it is a link out of the folder of the run', (path: string) => symlink('/dev/zero', path)],
    ['the symbolic link refers to itself', (path: string) => symlink('a.png', path)],
    ['it is not a file', async (path: string) => void execFileSync('mkfifo', [path])],
  ])('of a picture: %s', async (why, picture) => {
    const { trajectory, warnings } = await exportedWith('', picture);
    expect(warnings[0]).toBe(`The picture ${NAME} was left out: ${why}.`);
    const [step] = trajectory.trajectory;
    expect(step).toMatchObject({ observation_url: null, logs: 'The picture of this step is missing.' });
  });

  it('for an incomplete last line, and for an invalid record', async () => {
    const png = (path: string) => writeFile(path, Buffer.from([0x89, 0x50, 0x4e, 0x47]));
    await writeFile(join(folder, 'run.json'), '{');
    const { warnings } = await exportedWith('{"index": 7, "sou', png);
    expect(warnings).toEqual([
      expect.stringMatching(/^The grade of this run is unknown: .*run\.json is damaged/),
      'The last line of the trace is incomplete and was left out.',
    ]);
  });
});
