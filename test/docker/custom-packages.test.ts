import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { itLong } from '../sample.ts';
import { root } from '../system/programs.ts';
import { call, task } from '../unit/runs/tasks.ts';
import { daemon, place, run, temporaryFolder } from './harness.ts';
import { PYTHON_BASE } from './lab-image.ts';

/** An image with Python and pip, whose layers the images of Taskwright have too. */
const [WITH_PIP = ''] = readFileSync(join(root, 'docker', 'browser.Dockerfile'), 'utf8').split(
  '# step: Downloading Node.js',
);
const DOCKERFILE = `${WITH_PIP}
WORKDIR /controller
COPY . .
`;
const INSTALLED = `${DOCKERFILE}RUN python3 -m pip install -e . --break-system-packages\n`;
/** Has what an installation leaves, without pip, which could install nothing here. */
const WITH_PACKAGES = `${PYTHON_BASE}
WORKDIR /usr/lib/python3/dist-packages
RUN echo 'RED = 1' >colours.py && mkdir hud_controller-1.0.dist-info \\
    && printf 'Metadata-Version: 2.1\\nName: hud_controller\\nVersion: 1.0\\n' >hud_controller-1.0.dist-info/METADATA
WORKDIR /controller
COPY . .
`;

/** What builds a package (PEP 517, PEP 660) with nothing fetched for it. */
const backend = (name: string, files: string) => `
import os, zipfile
NAME = '${name}-1.0'
def wheel(folder, files):
    import tomllib
    needs = tomllib.load(open('pyproject.toml', 'rb'))['project'].get('dependencies', [])
    about = 'Metadata-Version: 2.1\\nName: ${name}\\nVersion: 1.0\\n' + ''.join(f'Requires-Dist: {one}\\n' for one in needs)
    with zipfile.ZipFile(os.path.join(folder, NAME + '-py3-none-any.whl'), 'w') as file:
        for path, text in files.items():
            file.writestr(path, text)
        file.writestr(NAME + '.dist-info/METADATA', about)
        file.writestr(NAME + '.dist-info/WHEEL', 'Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
        file.writestr(NAME + '.dist-info/RECORD', '')
    return NAME + '-py3-none-any.whl'
def build_wheel(folder, settings=None, metadata=None):
    return wheel(folder, ${files})
build_editable = build_wheel
`;
const project = (name: string, dependencies: readonly string[] = []) => `[project]
name = "${name}"
version = "1.0"
dependencies = ${JSON.stringify(dependencies)}
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
`;
const COLOURS = 'colours @ file:///controller/colours';

/** A controller that is a project of its own, and depends on a package beside it. */
async function projectWith(dockerfile: string) {
  const folder = await temporaryFolder();
  const write = async (path: string, text: string): Promise<void> => {
    const file = join(folder, 'controller', path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    await utimes(file, new Date(), new Date(Date.now() + 5_000));
  };
  await write('Dockerfile', dockerfile);
  await write('pyproject.toml', project('hud_controller', [COLOURS]));
  await write('backend.py', backend('hud_controller', "{'hud_controller.pth': '/controller/src\\n'}"));
  await write('colours/pyproject.toml', project('colours'));
  await write('colours/backend.py', backend('colours', "{'colours.py': 'RED = 1\\n'}"));
  await write(
    'src/hud_controller/__init__.py',
    'import colours\n\n\ndef is_red():\n    return colours.RED\n\n\ndef has(name):\n    return hasattr(colours, name)\n',
  );
  onTestFinished(async () => {
    const docker = await daemon();
    const path = createHash('sha256').update(join(folder, 'controller')).digest('hex').slice(0, 8);
    const tags = (await docker.listImages()).flatMap(({ RepoTags }) => RepoTags ?? []);
    for (const tag of tags.filter((one) => one.includes(`custom-${path}:`))) {
      await docker.getImage(tag).remove({ force: true });
    }
  });
  const env = { type: 'public', location: 'local', image_or_build_context: './controller' };
  return { write, of: task({ file: join(folder, 'some.task.json'), id: 'some', env }) };
}

async function open(of: ReturnType<typeof task>) {
  const { open: lease, log } = place();
  const { server, files } = await lease(of);
  const { session } = await server.request('session.open', {});
  const events: string[] = log;
  server.onEvent((event) => event.event === 'log' && events.push(event.text));
  const reset = () => server.request('session.reset', { session, task: of, files, seed: 0 });
  await reset();
  return {
    events,
    evaluate: (name: string, ...args: string[]) =>
      server.request('session.evaluate', { session, call: call(name, args), limit_ms: 60_000 }),
  };
}

beforeAll(async () => {
  // This image stays: the images of the controllers find its layers again, and go with their tests.
  const folder = await mkdtemp(join(tmpdir(), 'taskwright-docker-'));
  await writeFile(join(folder, 'Dockerfile'), WITH_PIP);
  await run('docker', ['build', '-q', '-t', 'taskwright-test-pip:1', folder]);
  await rm(folder, { recursive: true });
});

describe('a controller that depends on packages', () => {
  test('has them installed at first, and again when its pyproject.toml has changed', async () => {
    const { of, write } = await projectWith(DOCKERFILE);
    const { evaluate, events } = await open(of);
    const installs = () =>
      events.filter((text) => text.includes('Installing the dependencies in pyproject.toml')).length;

    expect(await evaluate('is_red')).toMatchObject({ value: 1 });
    expect(installs()).toBe(1);
    expect(await evaluate('is_red')).toMatchObject({ value: 1 });
    expect(installs()).toBe(1);

    await write('colours/backend.py', backend('colours', "{'colours.py': 'RED = 1\\nBLUE = 1\\n'}"));
    await write('pyproject.toml', `${project('hud_controller', [COLOURS])}# more\n`);
    expect(await evaluate('has', 'BLUE')).toMatchObject({ value: 1 });
    expect(installs()).toBe(2);

    await write('pyproject.toml', project('hud_controller', ['none @ file:///controller/none']));
    expect(await evaluate('is_red')).toMatchObject({
      error: { message: expect.stringMatching(/could not be installed: .*none.*Install them in the Dockerfile/) },
    });
  }, 400_000);

  test('is not installed where its image has its packages', async () => {
    const { of } = await projectWith(WITH_PACKAGES);
    const { evaluate, events } = await open(of);

    expect(await evaluate('is_red')).toMatchObject({ value: 1 });
    expect(events.filter((text) => text.includes('Installing'))).toEqual([]);
  });

  itLong(
    'is not installed again where its image has done that',
    async () => {
      const { of } = await projectWith(INSTALLED);
      const { evaluate, events } = await open(of);

      expect(await evaluate('is_red')).toMatchObject({ value: 1 });
      expect(events.filter((text) => text.includes('Installing'))).toEqual([]);
    },
    400_000,
  );
});
