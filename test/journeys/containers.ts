import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { vi } from 'vitest';
import { readContext } from '../../src/placement/docker/image.ts';
import { processes } from './processes.ts';

/** Ids of the containers that a process of a window's server owns, whatever state they are in. */
export function containersOf(dataFolder: string): string[] {
  const format = '{{.ID}} {{.Label "taskwright.owner"}}';
  const listed = docker('ps', '--all', '--no-trunc', '--filter', 'label=taskwright.owner', '--format', format);
  const ours = processesOf(dataFolder);
  return listed
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => {
      const space = line.indexOf(' ');
      const owner = JSON.parse(line.slice(space + 1)) as { pid: number };
      return ours.has(owner.pid) ? [line.slice(0, space)] : [];
    });
}

/** The process that a container belongs to. */
export function ownerOf(id: string): number {
  const label = '{{index .Config.Labels "taskwright.owner"}}';
  const owner = docker('inspect', '--format', label, id);
  return (JSON.parse(owner) as { pid: number }).pid;
}

/** Of these containers those that are still there. */
export function stillThere(ids: readonly string[]): string[] {
  const listed = docker('ps', '--all', '--no-trunc', '--quiet').split('\n');
  return ids.filter((id) => listed.includes(id));
}

/** Names in a folder inside a container; empty where it has gone. */
export function filesIn(id: string, folder: string): string[] {
  return spawnSync('docker', ['exec', id, 'ls', folder], { encoding: 'utf8' }).stdout.split('\n');
}

/** The image of a window's extension, whose build lasts until it is released. */
export interface HeldBuild {
  readonly image: string;
  /** Lets the build end that is under way, once it has come to its last step. Further calls do nothing. */
  release(): Promise<void>;
}

/** Gives the extension of a window an image of its own whose build waits in its last step. */
export async function holdBuild(dataFolder: string): Promise<HeldBuild> {
  const extensions = join(dataFolder, 'extensions');
  const name = (await readdir(extensions)).find((entry) => entry.startsWith('taskwright.'));
  const installed = join(extensions, name ?? '');
  const mark = `/tmp/${randomBytes(6).toString('hex')}`;
  await appendFile(
    join(installed, 'docker', 'browser.Dockerfile'),
    `RUN until [ -e ${mark} ]; do sleep 0.2; done; rm ${mark}\n`,
  );
  const { tag } = await readContext(installed, 'browser');
  let released: Promise<void> | undefined;
  return {
    image: tag,
    release() {
      released ??= vi.waitFor(
        () => {
          const [step] = docker('ps', '--no-trunc', '--format', '{{.ID}} {{.Command}}')
            .split('\n')
            .filter((line) => line.includes(mark));
          if (step === undefined) throw new Error('The build has not come to its last step.');
          docker('exec', step.slice(0, step.indexOf(' ')), 'touch', mark);
        },
        { timeout: 600_000, interval: 200 },
      );
      return released;
    },
  };
}

function docker(...args: readonly string[]): string {
  return execFileSync('docker', args, { encoding: 'utf8' });
}

/** False while a container still uses it. */
export function removeImage(image: string): boolean {
  const { status, stderr } = spawnSync('docker', ['image', 'rm', image], { encoding: 'utf8' });
  return status === 0 || /no such image/i.test(stderr);
}

/** The server of a window and all below it. */
function processesOf(dataFolder: string): ReadonlySet<number> {
  const all = processes();
  const found = new Set(all.filter(({ command }) => command.includes(dataFolder)).map(({ pid }) => pid));
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const { pid, parent } of all) if (found.has(parent)) found.add(pid);
  }
  return found;
}
