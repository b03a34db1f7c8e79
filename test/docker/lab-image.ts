import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import type Docker from 'dockerode';
import { requirementsFile } from '../../scripts/python.ts';
import { imageExists } from '../../src/placement/docker/build.ts';
import { connect } from '../../src/placement/docker/connection.ts';
import { root } from '../system/programs.ts';
import { pythonEnvironment } from '../system/python.ts';

const run = promisify(execFile);

/** The beginning of an image with Python. Its lines are those of the controllers' Dockerfile, so that its layers are found again. */
export const PYTHON_BASE = `FROM debian:trixie-slim

RUN apt-get update \\
    && apt-get install --yes --no-install-recommends python3 \\
    && rm -rf /var/lib/apt/lists/*
`;

/** The code of a HUD environment. */
export const HUD_LAB = join(root, 'test', 'fixtures', 'hud', 'lab', 'env.py');
/** The code of an OpenEnv environment: the package `server`. */
export const OPENENV_LAB = join(root, 'test', 'fixtures', 'openenv', 'typed', 'server');

const NAME = 'taskwright-test-lab';
/** The packages of both have the same versions. */
const REQUIREMENTS = ['hud-0.6.txt', 'openenv.txt'];
/** Compiled once for all containers. The MCP package is what HUD 0.4 used. */
const IMPORTED = 'hud.environment.server, mcp.server.fastmcp, openenv.core.env_server.http_server, uvicorn';
const DOCKERFILE = `${PYTHON_BASE}
ENV PYTHONPATH=/packages
WORKDIR /env
COPY packages /packages
RUN python3 -c 'import ${IMPORTED}'
`;
/** How long images of other requirements stay, in seconds: another working copy may use them. */
const KEPT = 7 * 24 * 3600;

/**
 * The tag of the image with HUD and OpenEnv, built where it is missing. The packages are downloaded
 * here, so that the build needs no network.
 */
export async function labImage(): Promise<string> {
  const requirements = await Promise.all(REQUIREMENTS.map((name) => readFile(requirementsFile(name), 'utf8')));
  const hash = createHash('sha256').update([DOCKERFILE, ...requirements].join('\0'));
  const tag = `${NAME}:${hash.digest('hex').slice(0, 16)}`;
  const { docker } = await connect();
  if (await imageExists(docker, tag)) return tag;
  const folder = await mkdtemp(join(tmpdir(), 'taskwright-docker-'));
  try {
    await downloadPackages(join(folder, 'packages'), await pythonOfBase(folder));
    await writeFile(join(folder, 'Dockerfile'), DOCKERFILE);
    await run('docker', ['build', '-q', '-t', tag, folder]);
  } finally {
    await rm(folder, { recursive: true });
  }
  await removeOld(docker, tag);
  return tag;
}

/** Such as `3.13`. */
async function pythonOfBase(folder: string): Promise<string> {
  const dockerfile = join(folder, 'base.Dockerfile');
  await writeFile(dockerfile, PYTHON_BASE);
  const { stdout: image } = await run('docker', ['build', '-q', '-f', dockerfile, folder]);
  const ask = 'import sys; print("%d.%d" % sys.version_info[:2])';
  const args = ['run', '--rm', '--network', 'none', image.trim(), 'python3', '-c', ask];
  return (await run('docker', args)).stdout.trim();
}

async function downloadPackages(into: string, python: string): Promise<void> {
  await run(join(pythonEnvironment(), 'bin', 'uv'), [
    ...['pip', 'install', '-q', '--no-config', '--no-deps', '--target', into],
    // HUD asks for an older Python than that of Debian 13, and runs with it: uv ignores upper bounds.
    ...['--python-version', python, '--only-binary', ':all:'],
    ...REQUIREMENTS.flatMap((name) => ['-r', requirementsFile(name)]),
  ]);
}

async function removeOld(docker: Docker, tag: string): Promise<void> {
  const since = Date.now() / 1000 - KEPT;
  const images = await docker.listImages({ filters: { reference: [NAME] } });
  const old = images.filter(({ Created }) => Created < since).flatMap(({ RepoTags }) => RepoTags ?? []);
  // One that is in use stays.
  for (const name of old.filter((one) => one !== tag))
    await docker
      .getImage(name)
      .remove()
      .catch(() => {});
}

/** Builds an image with the packages of the lab, and a file or folder of code in `/env`, which is its working directory. */
export async function buildOnLab(image: string, code: string, command: readonly string[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'taskwright-docker-'));
  try {
    const name = basename(code);
    await cp(code, join(folder, name), { recursive: true });
    const lines = [`FROM ${await labImage()}`, `COPY ${name} ${name}`, `CMD ${JSON.stringify(command)}`, ''];
    await writeFile(join(folder, 'Dockerfile'), lines.join('\n'));
    await run('docker', ['build', '-q', '-t', image, folder]);
  } finally {
    await rm(folder, { recursive: true });
  }
}
