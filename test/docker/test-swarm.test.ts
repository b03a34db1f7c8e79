import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { OWNER_LABEL } from '../../src/placement/docker/owner.ts';
import { daemon } from './harness.ts';
import { startSwarm } from './test-swarm.ts';

/** A process with a swarm, which waits to be killed. */
const OWNER = `
import { startSwarm } from ${JSON.stringify(join(import.meta.dirname, 'test-swarm.ts'))};
const { address } = await startSwarm();
process.stdout.write(address);
setInterval(() => {}, 1000);
`;

/** Names of the networks of a process. */
async function networksOf(pid: number | undefined): Promise<string[]> {
  const all = await (await daemon()).listNetworks({ filters: { label: [OWNER_LABEL] } });
  const owner = new RegExp(`"pid":${pid}\\b`);
  return all.filter(({ Labels }) => owner.test(Labels?.[OWNER_LABEL] ?? '')).map(({ Name }) => Name);
}

test('the folder of a swarm whose process was killed goes with its nodes, and the network when the next one starts', async ({
  skip,
}) => {
  const args = ['--disable-warning=MODULE_TYPELESS_PACKAGE_JSON', '--input-type=module', '--eval', OWNER];
  const owner = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const said = text(owner.stderr);
  onTestFinished(() => void owner.kill('SIGKILL'));
  const ended = once(owner, 'exit').then(() => null);
  const address = await Promise.race([once(owner.stdout, 'data').then(([data]) => String(data)), ended]);
  if (address === null) {
    process.stdout.write(`Swarms of tests are not tested: ${(await said).slice(-500)}\n`);
    return skip();
  }
  const folder = dirname(address.replace('unix://', ''));
  expect(existsSync(folder)).toBe(true);
  const [network = ''] = await networksOf(owner.pid);
  expect(network).toMatch(/^taskwright-swarm-/);

  owner.kill('SIGKILL');

  await ended;
  const nodes = async () => (await daemon()).listContainers({ all: true, filters: { network: [network] } });
  await expect.poll(nodes, { timeout: 120_000 }).toEqual([]);
  await expect.poll(() => existsSync(folder)).toBe(false);
  // Any swarm that starts removes the network, also one of another test.
  const next = await startSwarm();
  onTestFinished(() => next.end());
  expect(await networksOf(owner.pid)).toEqual([]);
});
