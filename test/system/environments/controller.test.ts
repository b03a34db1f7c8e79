import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import { localController } from '../../../src/environments/custom/python.ts';
import { hasPython } from '../python.ts';
import { task } from './stage.ts';

const fixtures = join(import.meta.dirname, '..', '..', 'fixtures');

interface Recorded {
  readonly function: string;
  readonly args: readonly Json[];
  readonly result: Json;
  readonly stdout: string;
  readonly stderr_last: string;
}

const recorded = (await readFile(join(fixtures, 'hud', 'invoke-0.2.10.jsonl'), 'utf8'))
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Recorded);

async function controller(folder = 'controller', log: string[] = []) {
  const scratch = await mkdtemp(join(tmpdir(), 'taskwright-controller-'));
  const env = { type: 'public', location: 'local', image_or_build_context: `./${folder}` };
  const opened = await localController(
    { task: task({}, { env, file: join(fixtures, 'some.task.json') }), files: { folder: fixtures }, seed: 0 },
    (text) => log.push(text),
  );
  onTestFinished(async () => {
    await opened.close();
    await rm(scratch, { recursive: true, force: true });
  });
  return opened;
}

const never = new AbortController().signal;

/** What HUD's client made of it: None both for a result of None and for a failure, told apart by the last line. */
const hasFailed = ({ function: name, result, stderr_last }: Recorded) =>
  result === null && (stderr_last !== '' || name.startsWith('exit'));

const isThere = hasPython('custom environments');

describe.runIf(isThere)("a controller's function", () => {
  test.each(recorded.filter((row) => !hasFailed(row)))(
    '$function $args returns what it returned in HUD',
    async ({ function: name, args, result, stdout, stderr_last }) => {
      const log: string[] = [];
      const answered = await (await controller('controller', log)).invoke({ function: name, args }, never);

      const expected = JSON.stringify(result) === '{"__float__":"NaN"}' ? Number.NaN : result;
      expect(answered).toEqual({ result: expected, output: stdout });
      if (stderr_last !== '') expect(log).toContain(stderr_last);
    },
  );

  test.each(recorded.filter(hasFailed))(
    '$function $args fails with the last line of its traceback, where HUD returned None',
    async ({ function: name, args, stderr_last }) => {
      const answered = await (await controller()).invoke({ function: name, args }, never);

      const own = name === 'acoro' ? 'TypeError: acoro is async' : name.startsWith('exit') ? 'SystemExit' : stderr_last;
      // Where a package stands is another place here.
      expect(answered).toMatchObject({ message: expect.stringContaining(own.replace(/ \(\/.*/, '')) });
    },
  );

  test('that fails reports the location in its file', async () => {
    const opened = await controller();
    const answered = await opened.invoke({ function: 'boom', args: [1] }, never);

    expect(answered).toMatchObject({ message: 'ValueError: bad (1,)', missing: false });
    if (!('place' in answered) || answered.place === null) throw new Error('no place');
    const lines = (await readFile(answered.place.file, 'utf8')).split('\n');
    expect(lines[answered.place.line - 1]).toContain('raise ValueError');
    expect(opened.ownPath(answered.place.file)).toBe('controller/src/hud_controller/__init__.py');
    expect(answered.trace).toMatch(/^Traceback.*\n {2}File ".*__init__\.py", line \d+, in boom/);
  });

  test.each(['missing', 'a.deep', 'nomod.x', 'my-func', 'f; import os'])(
    '%s is reported as no function',
    async (name) => {
      const answered = await (await controller()).invoke({ function: name, args: [] }, never);
      expect('missing' in answered && (answered.missing || answered.message.startsWith('SyntaxError'))).toBe(true);
    },
  );

  test('that imports a missing package fails at the line of the import', async () => {
    const answered = await (await controller()).invoke({ function: 'broken.q', args: [] }, never);
    expect(answered).toMatchObject({ missing: false, place: { line: 1 } });
  });

  test.each([
    ['kills_itself', 'was terminated (SIGKILL)'],
    ['leaves_at_once', 'exited before it answered (exit code 7)'],
  ])('%s is reported as an error', async (name, words) => {
    const opened = await controller();
    await expect(opened.invoke({ function: name, args: [] }, never)).rejects.toThrow(words);
    expect(await opened.invoke({ function: 'none', args: [] }, never)).toMatchObject({ result: null });
  });

  test('that never ends is killed at its time limit', async () => {
    const looping = (await controller()).invoke({ function: 'loops', args: [] }, AbortSignal.timeout(500));
    await expect(looping).rejects.toThrow('SIGKILL');
  });

  test('can leave a server running, which survives its own output', async () => {
    const opened = await controller();
    expect(await opened.invoke({ function: 'starts_a_server', args: [] }, never)).toMatchObject({ result: 1 });
    expect(await opened.invoke({ function: 'server_runs', args: [] }, never)).toMatchObject({ result: true });
    const { result } = (await opened.invoke({ function: 'where', args: [] }, never)) as { result: string };
    const pid = JSON.parse(await readFile(join(result, 'server.json'), 'utf8')) as number;
    process.kill(pid, 'SIGKILL');
  });

  test('runs in an empty folder, and writes nothing next to its files', async () => {
    const [one, other] = [await controller(), await controller()];
    const where = async (of: typeof one) =>
      (await of.invoke({ function: 'where', args: [] }, never)) as { result: string };
    expect(await where(one)).not.toEqual(await where(other));
    await expect(readFile(join(fixtures, 'controller/src/hud_controller/__pycache__'))).rejects.toThrow('ENOENT');
  });
});

test('a folder without a controller is reported with the expected content', async () => {
  await expect(controller('functions')).rejects.toMatchObject({
    code: 'start_failed',
    message: expect.stringContaining('src/hud_controller'),
  });
});
