import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requirementsFile } from '../../scripts/python.ts';
import { root } from '../system/programs.ts';
import { pythonEnvironment } from '../system/python.ts';
import { PYTHON_BASE, run } from './harness.ts';

/** The code of the environment in the image. */
export const HUD_LAB = join(root, 'test', 'fixtures', 'hud', 'lab', 'env.py');

/**
 * Builds an image with HUD's own server, whose command is `serve`. Its packages are downloaded here, so that the build needs
 * no network. The base of the image is `IMAGE-base`.
 */
export async function buildHudImage(image: string, serve: readonly string[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'taskwright-docker-'));
  try {
    await writeFile(join(folder, 'base.Dockerfile'), PYTHON_BASE);
    await run('docker', ['build', '-q', '-t', `${image}-base`, '-f', join(folder, 'base.Dockerfile'), folder]);
    const asked = 'import sys; print("%d.%d" % sys.version_info[:2])';
    const inBase = ['run', '--rm', '--network', 'none', `${image}-base`, 'python3', '-c', asked];
    const { stdout } = await run('docker', inBase);
    await run(join(pythonEnvironment(), 'bin', 'python3'), [
      ...['-m', 'pip', 'install', '-q', '--no-compile', '--no-deps', '--target', join(folder, 'packages')],
      // HUD asks for an older Python than that of Debian 13, and runs with it.
      ...['--python-version', stdout.trim(), '--only-binary=:all:', '--ignore-requires-python'],
      ...['-r', requirementsFile('hud-0.6.txt')],
    ]);
    await cp(HUD_LAB, join(folder, 'env.py'));
    await writeFile(
      join(folder, 'Dockerfile'),
      `${PYTHON_BASE}
ENV PYTHONPATH=/packages
WORKDIR /env
COPY packages /packages
# Compiled once, for all containers.
RUN python3 -c 'import hud.environment.server'
COPY env.py ./
CMD ${JSON.stringify(serve)}
`,
    );
    await run('docker', ['build', '-q', '-t', image, folder]);
  } finally {
    await rm(folder, { recursive: true });
  }
}
