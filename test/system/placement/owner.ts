import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { removeTree } from '../../../src/base/remove-tree.ts';

/** Starts a server with a function of a module of ours in a process of its own, kills that, and resolves with the server's id. */
export async function orphan(module: string, start: string, options: object): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'taskwright-owner-'));
  onTestFinished(() => removeTree(folder));
  const program = join(folder, 'owner.ts');
  await writeFile(
    program,
    `import { ${start} } from ${JSON.stringify(module)};
const server = await ${start}({ ...${JSON.stringify(options)}, log: () => {} });
process.stdout.write(server.id + '\\n');
setInterval(() => {}, 1000);`,
  );
  const owner = spawn(process.execPath, ['--disable-warning=MODULE_TYPELESS_PACKAGE_JSON', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [id] = (await once(owner.stdout, 'data')) as [Buffer];
  const exited = once(owner, 'exit');
  owner.kill('SIGKILL');
  await exited;
  return Number(id);
}
