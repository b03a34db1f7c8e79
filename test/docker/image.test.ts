import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { Images } from '../../src/placement/docker/build.ts';
import type { ImageBuild } from '../../src/placement/docker/docker.ts';
import { IMAGES } from '../../src/placement/docker/image.ts';
import { root } from '../system/programs.ts';
import { builtImage, daemon, imageTags, installation, run } from './harness.ts';

beforeAll(async () => {
  await builtImage();
});

/** Looks after the image of an installation as a placement does. */
function imagesOf(installed: string) {
  const builds: ImageBuild[] = [];
  const said: string[] = [];
  const images = new Images(installed, (build) => builds.push(build));
  const ensure = async (signal?: AbortSignal) =>
    images.ensure(await daemon(), 'browser', (text) => void said.push(text), signal);
  return { ensure, builds, said };
}

const TEST_LABEL = 'taskwright.test=image';
const SMALL = `FROM debian:trixie-slim\nLABEL ${TEST_LABEL}\n`;

describe('the image', () => {
  test('is built once, and again only when what it is made of has changed', async () => {
    const installed = await installation({});
    const first = imagesOf(installed);
    const tag = await first.ensure();
    expect(first.builds.map((build) => build.tag)).toEqual([tag]);
    expect(first.said.join('\n')).toMatch(/Building the image: step 2 of 4: COPY taskwright/);

    const second = imagesOf(installed);
    expect(await second.ensure()).toBe(tag);
    expect(second.builds).toEqual([]);

    const server = join(installed, 'dist', 'server.js');
    await writeFile(server, `${await readFile(server, 'utf8')}\n`);
    const third = imagesOf(installed);
    const changed = await third.ensure();
    expect(changed).not.toBe(tag);
    expect(third.builds).toHaveLength(1);
    // The newest stay.
    expect(await imageTags()).toEqual(expect.arrayContaining([tag, changed]));
  });

  test('is built once for all who ask at the same time', async () => {
    const { ensure, builds } = imagesOf(await installation({ dockerfile: `${SMALL}RUN sleep 1 && echo once\n` }));

    const [one, other] = await Promise.all([ensure(), ensure()]);

    expect(one).toBe(other);
    expect(builds).toHaveLength(1);
  });

  test('that cannot be built names the line that failed, and what it said', async () => {
    const dockerfile = `${SMALL}# A comment\nRUN echo \\\n  fine\n\nRUN echo no such thing >&2; exit 3\nRUN echo never\n`;
    const installed = await installation({ dockerfile });
    const { ensure, builds } = imagesOf(installed);

    const failure = await ensure().catch((error: Error) => error);

    expect(failure).toMatchObject({ code: 'image_build_failed' });
    const { message } = failure as Error;
    expect(message).toContain(`${join(installed, 'docker', 'browser.Dockerfile')}:7:\nRUN echo no such thing`);
    expect(message).toMatch(/Last output:[\s\S]*no such thing[\s\S]*returned a non-zero code: 3/);
    expect(await builds[0]?.whenEnded).toEqual({ built: false });
    expect(await imageTags()).not.toContain(builds[0]?.tag);
  });

  test('whose Dockerfile cannot be read says so', async () => {
    const { ensure } = imagesOf(await installation({ dockerfile: `${SMALL}FLY away\n` }));

    await expect(ensure()).rejects.toMatchObject({
      code: 'image_build_failed',
      message: expect.stringMatching(/unknown instruction: FLY/i),
    });
  });

  test.each([...IMAGES.keys()])(
    'of %s contains the compiled code of its programs, which nothing in it can change',
    async (kind) => {
      const image = await new Images(root).ensure(await daemon(), kind, () => {});
      const task = { id: 'a', prompt: 'a', gym: 'qa', evaluate: ['response_is', 'yes'] };
      const files = `echo '${JSON.stringify(task)}' >a.task.json && echo "response('yes')" >a.actions`;
      // A run would write again what it cannot use.
      const list = 'ls -l --full-time /opt/compiled';
      const script = `! touch /opt/compiled/other 2>/dev/null && ${list} && echo --- && cd /tmp && ${files} && taskwright run a.task.json >&2 && ${list}`;
      const { stdout } = await run('docker', ['run', '--rm', '--network', 'none', image, 'sh', '-ec', script]);
      const [before, after] = stdout.split('---\n');
      expect(after).toBe(before);
      for (const name of ['cli-run-commands', 'server-sessions', 'session-sessions']) expect(after).toContain(name);
    },
  );

  test('has what functions in Python are debugged with, and what gives them their page', async () => {
    const imported = ['run', '--rm', '--network', 'none', await builtImage(), 'python3', '-c'];
    const { stdout } = await run('docker', [...imported, 'import debugpy, playwright.async_api; print("both")']);
    expect(stdout).toBe('both\n');
  });

  test('is given up when nobody waits for it any more', async () => {
    const { ensure, builds, said } = imagesOf(await installation({ dockerfile: `${SMALL}RUN echo on; sleep 600\n` }));
    const [one, other] = [new AbortController(), new AbortController()];
    const [first, second] = [ensure(one.signal), ensure(other.signal)];
    first.catch(() => {});
    second.catch(() => {});
    await vi.waitFor(() => expect(said.join('\n')).toContain('step 3 of 5: on'), { timeout: 120_000 });

    one.abort(new Error('no longer wanted'));
    await expect(first).rejects.toThrow('no longer wanted');
    other.abort(new Error('neither'));
    await expect(second).rejects.toThrow('neither');

    expect(await builds[0]?.whenEnded).toEqual({ built: false });
    const docker = await daemon();
    await vi.waitFor(
      async () => {
        const running = await docker.listContainers({ filters: { label: [TEST_LABEL] } });
        expect(running.filter(({ Command }) => Command.includes('sleep 600'))).toEqual([]);
      },
      { timeout: 120_000 },
    );
  });

  test('that is being built can be given up by whoever watches it', async () => {
    const { ensure, builds } = imagesOf(await installation({ dockerfile: `${SMALL}RUN sleep 600\n` }));
    const wanted = ensure();
    wanted.catch(() => {});
    await vi.waitFor(() => expect(builds).toHaveLength(1), { timeout: 120_000 });

    builds[0]?.cancel();

    await expect(wanted).rejects.toMatchObject({ code: 'image_build_cancelled' });
  });

  test('cannot be built of an installation that lacks a part', async () => {
    const { ensure } = imagesOf(join(root, 'docker'));

    await expect(ensure()).rejects.toMatchObject({
      code: 'image_build_failed',
      message: expect.stringContaining('Install it again'),
    });
  });
});

afterAll(async () => {
  await (await daemon()).pruneImages({ filters: { dangling: ['true'], label: [TEST_LABEL] } });
});
