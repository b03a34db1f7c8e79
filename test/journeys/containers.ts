import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readContext } from '../../src/placement/docker/image.ts';
import { processes } from './processes.ts';

/** Ids of the containers that a process of a window's server owns, whatever state they are in. */
export function containersOf(dataFolder: string): string[] {
  const format = '{{.ID}} {{.Label "taskwright.owner"}}';
  const listed = execFileSync(
    'docker',
    ['ps', '--all', '--no-trunc', '--filter', 'label=taskwright.owner', '--format', format],
    { encoding: 'utf8' },
  );
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
  const owner = execFileSync('docker', ['inspect', '--format', label, id], { encoding: 'utf8' });
  return (JSON.parse(owner) as { pid: number }).pid;
}

/** Of these containers those that are still there. */
export function stillThere(ids: readonly string[]): string[] {
  const listed = execFileSync('docker', ['ps', '--all', '--no-trunc', '--quiet'], { encoding: 'utf8' }).split('\n');
  return ids.filter((id) => listed.includes(id));
}

/** Names in a folder inside a container; empty where it has gone. */
export function filesIn(id: string, folder: string): string[] {
  return spawnSync('docker', ['exec', id, 'ls', folder], { encoding: 'utf8' }).stdout.split('\n');
}

/** Makes the image of a window's extension one of its own, whose last step takes a while. Its name. */
export async function withLongBuild(dataFolder: string): Promise<string> {
  const extensions = join(dataFolder, 'extensions');
  const name = (await readdir(extensions)).find((entry) => entry.startsWith('taskwright.'));
  const installed = join(extensions, name ?? '');
  const step = `RUN sleep 40 && echo ${randomBytes(6).toString('hex')}\n`;
  await appendFile(join(installed, 'docker', 'browser.Dockerfile'), step);
  return (await readContext(installed, 'browser')).tag;
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
