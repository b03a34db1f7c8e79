import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type Docker from 'dockerode';
import { expect, onTestFinished, vi } from 'vitest';
import { Images } from '../../src/placement/docker/build.ts';
import { connect } from '../../src/placement/docker/connection.ts';
import type { DockerPlacementOptions } from '../../src/placement/docker/docker.ts';
import { currentSystem } from '../../src/placement/docker/host.ts';
import { OWNER_LABEL } from '../../src/placement/docker/owner.ts';
import { dockerPlacement } from '../../src/placement/docker/placement.ts';
import type { Lease, OpenOptions, Placement } from '../../src/placement/placement.ts';
import type { Task } from '../../src/tasks/task.ts';
import { claim, release } from '../../src/traces/owner.ts';
import { dist, root } from '../system/programs.ts';

export const run = promisify(execFile);

/** As this was started, whatever a test says of Docker's place. */
const AROUND = { ...currentSystem(), env: { ...process.env } };

/** The daemon itself, to look at what there is. */
export async function daemon(): Promise<Docker> {
  return (await connect({ system: AROUND })).docker;
}

/** For the rest of the test Docker is said to be elsewhere. */
export function dockerAt(address: string): void {
  vi.stubEnv('DOCKER_HOST', address);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
}

/** The image of this very version, built where it is missing; its tag. */
export async function builtImage(): Promise<string> {
  return new Images(root).ensure(await daemon(), 'browser', () => {});
}

/** Ids of the containers that belong to a process. */
export async function containersOf(pid: number | undefined): Promise<string[]> {
  const all = await (await daemon()).listContainers({ all: true, filters: { label: [OWNER_LABEL] } });
  // Other tests make containers whose owner is no owner at all.
  const owner = new RegExp(`"pid":${pid}\\b`);
  return all.filter(({ Labels }) => owner.test(Labels[OWNER_LABEL] ?? '')).map(({ Id }) => Id);
}

/** Resolves when a process has no container any more. */
export async function nothingLeftOf(pid: number | undefined): Promise<void> {
  await vi.waitFor(async () => expect(await containersOf(pid)).toEqual([]), { timeout: 120_000, interval: 100 });
}

/** A placement under test. At the end of the test it is disposed, and nothing of it may be left. */
export function place(options: Partial<DockerPlacementOptions> = {}): {
  readonly placement: Placement;
  readonly log: string[];
  open(task: Task, more?: Partial<OpenOptions>): Promise<Lease>;
} {
  const log: string[] = [];
  const placement = dockerPlacement({
    installation: root,
    limits: {},
    warm: 0,
    log: (text) => void log.push(text),
    ...options,
  });
  onTestFinished(async () => {
    await placement.dispose();
    expect(await containersOf(process.pid)).toEqual([]);
  });
  return {
    placement,
    log,
    open: (task, more = {}) => placement.open(task, { progress: () => {}, ...more }),
  };
}

/** Runs a container whose port 8000 is published on the loopback interface, and resolves with its address. */
export async function published(...args: string[]): Promise<string> {
  const { stdout } = await run('docker', ['run', '--rm', '--detach', '--publish', '127.0.0.1::8000', ...args]);
  const id = stdout.trim();
  onTestFinished(async () => void (await run('docker', ['rm', '--force', id]).catch(() => {})));
  const { stdout: port } = await run('docker', ['port', id, '8000']);
  const url = `http://${port.trim().split('\n')[0]}`;
  await expect.poll(() => fetch(`${url}/health`).then(({ status }) => status, String), { timeout: 120_000 }).toBe(200);
  return url;
}

/**
 * Makes certificates as Docker's documentation does: an authority, the daemon's (`server-cert.pem`), the client's. Resolves
 * with their folder, which goes with the test unless it is given.
 */
export async function certificates(into?: string): Promise<string> {
  const folder = into ?? (await temporaryFolder());
  const openssl = (...args: string[]) => run('openssl', args, { cwd: folder });
  const key = ['-newkey', 'rsa:2048', '-nodes', '-keyout'];
  await openssl('req', '-x509', ...key, 'ca-key.pem', '-out', 'ca.pem', '-subj', '/CN=authority', '-days', '2');
  for (const [name, extension] of [
    ['server', 'subjectAltName=IP:127.0.0.1'],
    ['', 'extendedKeyUsage=clientAuth'],
  ] as const) {
    const [keyFile, file] = name === '' ? ['key.pem', 'cert.pem'] : [`${name}-key.pem`, `${name}-cert.pem`];
    await writeFile(join(folder, 'extensions'), extension);
    await openssl('req', ...key, keyFile, '-out', 'request', '-subj', '/CN=one');
    const by = ['-CA', 'ca.pem', '-CAkey', 'ca-key.pem', '-CAcreateserial', '-days', '2'];
    await openssl('x509', '-req', '-in', 'request', ...by, '-extfile', 'extensions', '-out', file);
  }
  return folder;
}

/**
 * Puts a program in place of `ssh` on the PATH of the test, which reaches one machine: it does here what it is asked to do
 * there.
 */
export async function sshToHere(machine: string): Promise<void> {
  const folder = await temporaryFolder();
  const script = [
    '#!/bin/sh',
    'while [ "$1" != -- ]; do shift; done',
    `[ "$2" = ${machine} ] || { echo "no route to $2" >&2; exit 255; }`,
    'shift 2',
    'exec env -u DOCKER_HOST "$@"',
  ];
  await writeFile(join(folder, 'ssh'), script.join('\n'), { mode: 0o755 });
  vi.stubEnv('PATH', `${folder}${delimiter}${process.env['PATH']}`);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
}

/** A Docker context with certificates, in a configuration folder of its own; the folder. */
export async function contextFolder(
  name: string,
  address: string,
  certificates: string,
  config: object = {},
): Promise<string> {
  const folder = await temporaryFolder();
  const id = createHash('sha256').update(name).digest('hex');
  const [meta, tls] = [join(folder, 'contexts', 'meta', id), join(folder, 'contexts', 'tls', id, 'docker')];
  for (const made of [meta, tls]) await mkdir(made, { recursive: true });
  const Endpoints = { docker: { Host: address, SkipTLSVerify: false } };
  await writeFile(join(meta, 'meta.json'), JSON.stringify({ Name: name, Endpoints }));
  for (const file of ['ca.pem', 'cert.pem', 'key.pem']) await cp(join(certificates, file), join(tls, file));
  await writeFile(join(folder, 'config.json'), JSON.stringify(config));
  return folder;
}

/** A folder that goes with the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'taskwright-docker-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * Taskwright as it is installed, with another program as its server or another Dockerfile. The images that are built
 * from it go with the test.
 */
export async function installation(other: { readonly server?: string; readonly dockerfile?: string }): Promise<string> {
  await lockImages();
  const folder = await temporaryFolder();
  await cp(join(root, 'docker'), join(folder, 'docker'), { recursive: true });
  await mkdir(join(folder, 'dist'));
  for (const name of [
    ...[
      'agent.js',
      'cli.js',
      'lane.js',
      'compile-cache.js',
      'commands.js',
      'serve.js',
      'mcp.js',
      'server.js',
      'sessions.js',
      'shared.js',
      'supervisor.js',
    ],
  ]) {
    await writeFile(join(folder, 'dist', name), `// ${folder}`);
  }
  for (const name of [
    'taskwright.mjs',
    'babel.js',
    'web-tree-sitter.wasm',
    'tree-sitter-python.wasm',
    'tree-sitter-typescript.wasm',
    'functions-host.py',
    'functions-tasks.py',
  ]) {
    await symlink(join(dist, name), join(folder, 'dist', name));
  }
  await writeFile(join(folder, 'package.json'), '{}');
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  if (other.server !== undefined) await writeFile(join(folder, 'dist', 'server.js'), other.server);
  const dockerfile = other.dockerfile ?? `FROM ${await builtImage()}\nCOPY taskwright /opt/taskwright\n`;
  // Other working copies may build images meanwhile.
  const label = `taskwright.test.installation=${folder}`;
  await writeFile(join(folder, 'docker', 'browser.Dockerfile'), `${dockerfile}LABEL ${label}\n`);
  await keepImages();
  forgetImages(label);
  return folder;
}

/**
 * Until the end of the test no other test builds images of browsers, also none of another working copy: of too many images
 * the oldest are removed.
 */
async function lockImages(): Promise<void> {
  const lock = join(tmpdir(), 'taskwright-test-images');
  await mkdir(lock, { recursive: true });
  // The lock of a test that was killed is taken.
  await vi.waitFor(async () => expect(await claim(lock)).toBe(true), { timeout: 600_000, interval: 200 });
  onTestFinished(() => release(lock));
}

/**
 * The images that were removed because there are too many have their names again when the test ends: workers and other
 * working copies use them.
 */
async function keepImages(): Promise<void> {
  const docker = await daemon();
  const [name, kept] = ['taskwright-browser', 'taskwright-test-kept'];
  const tags = (await imageTags(name)).flatMap((tag) => tag.split(':')[1] ?? []);
  for (const tag of tags) await docker.getImage(`${name}:${tag}`).tag({ repo: kept, tag });
  onTestFinished(async () => {
    const there = await imageTags(name);
    const gone = tags.filter((tag) => !there.includes(`${name}:${tag}`));
    for (const tag of gone) await docker.getImage(`${kept}:${tag}`).tag({ repo: name, tag });
    // Also those of a test that was killed.
    await removeImages(await imageTags(kept));
  });
}

/** Removes the images with a label when the test ends. */
function forgetImages(label: string): void {
  onTestFinished(async () => {
    const images = await (await daemon()).listImages({ filters: { label: [label] } });
    await removeImages(images.flatMap(({ RepoTags }) => RepoTags ?? []));
  });
}

/** The image of a controller's folder goes with the test. */
export function forgetControllerImage(controller: string): void {
  onTestFinished(async () => {
    const path = createHash('sha256').update(controller).digest('hex').slice(0, 8);
    const all = await (await daemon()).listImages();
    const tags = all.flatMap(({ RepoTags }) => RepoTags ?? []);
    await removeImages(tags.filter((tag) => tag.includes(`custom-${path}:`)));
  });
}

export async function removeImages(tags: readonly string[]): Promise<void> {
  const docker = await daemon();
  for (const tag of tags) await docker.getImage(tag).remove({ force: true });
}

/** Tags of our images that there are. */
export async function imageTags(reference = 'taskwright-browser'): Promise<string[]> {
  const images = await (await daemon()).listImages({ filters: { reference: [reference] } });
  return images.flatMap(({ RepoTags }) => RepoTags ?? []);
}
