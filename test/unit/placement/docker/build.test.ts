import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import Docker from 'dockerode';
import { expect, it, onTestFinished } from 'vitest';
import { root } from '../../../../scripts/places.ts';
import { Build, instructionLines } from '../../../../src/placement/docker/build.ts';

const TEXT = 'FROM debian:12\nRUN false\n';

/** What is said of a build for which a daemon answers `events`; `meanwhile` happens while it builds. */
async function wordsOf(events: readonly object[], meanwhile?: (dockerfile: string) => Promise<void>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'build-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const dockerfile = join(folder, 'Dockerfile');
  await writeFile(dockerfile, TEXT);
  const docker = {
    modem: new Docker().modem,
    async buildImage(archive: NodeJS.ReadableStream): Promise<Readable> {
      archive.resume();
      await finished(archive);
      await meanwhile?.(dockerfile);
      return Readable.from(events.map((event) => `${JSON.stringify(event)}\r\n`));
    },
  } as unknown as Docker;
  const files = [{ name: 'Dockerfile', path: dockerfile, size: TEXT.length }];
  const build = new Build(docker, { tag: 'taskwright-tasks:1', kind: 'tasks', dockerfile, files });
  const error: Error = await build.done.then(
    () => expect.unreachable(),
    (error) => error,
  );
  return error.message.replace(dockerfile, 'DOCKERFILE');
}

const steps = [{ stream: 'Step 1/2 : FROM debian:12\n' }, { stream: 'Step 2/2 : RUN false\n' }];
const failure = { error: 'it returned 1' };

it('reports the line of the Dockerfile at which a build failed', async () => {
  expect(await wordsOf([...steps, failure])).toContain(
    'failed at step 2 of 2, DOCKERFILE:2:\nRUN false\nit returned 1',
  );
});

it('reports the step if the Dockerfile was deleted meanwhile', async () => {
  expect(await wordsOf([...steps, failure], (dockerfile) => rm(dockerfile))).toContain(
    'failed at step 2 of 2, DOCKERFILE\nit returned 1',
  );
});

it('reports that no step was started', async () => {
  expect(await wordsOf([failure])).toContain('failed before its first step\nit returned 1');
});

it('labels steps from comments in the Dockerfile', () => {
  const text = '# step: Installing Node\n# with npm\nFROM a \\\n  AS b\nRUN c\n# step: Copying files\nCOPY d e\n';
  expect(instructionLines(text).map(({ line, label }) => [line, label])).toEqual([
    [3, 'Installing Node'],
    [5, null],
    [7, 'Copying files'],
  ]);
});

it('labels the long steps of all images of Taskwright', async () => {
  for (const kind of ['browser', 'coding', 'desktop']) {
    const text = await readFile(join(root, 'docker', `${kind}.Dockerfile`), 'utf8');
    const silent = instructionLines(text).filter(
      ({ text: line, label }) => /^RUN (?:apt|npm|case)/.test(line) && label === null,
    );
    expect(silent).toEqual([]);
  }
});
