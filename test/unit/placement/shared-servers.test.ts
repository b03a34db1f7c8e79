import { describe, expect, it } from 'vitest';
import { LogLines } from '../../../src/base/log-lines.ts';
import { SharedServers, type StartedServer } from '../../../src/placement/shared-servers.ts';
import { task } from '../runs/tasks.ts';

describe('servers that runs share', () => {
  const fake = (stopped: string[], name: string): StartedServer => ({
    name: `environment ${name}`,
    address: `http://${name}`,
    id: name,
    logLines: new LogLines(),
    exit: new Promise(() => {}),
    usage: async () => null,
    stop: async () => void stopped.push(name),
  });
  const one = task({ file: '/t/a.task.json' });

  it('are started once, listed with their tasks, and ended when they were idle for a while', async () => {
    const stopped: string[] = [];
    let started = 0;
    const shared = new SharedServers('local', 10);
    const begin = async (): Promise<StartedServer> => fake(stopped, `s${++started}`);
    const uses = await Promise.all([shared.take('a', one, begin, undefined), shared.take('a', one, begin, undefined)]);

    expect(started).toBe(1);
    expect(shared.running).toMatchObject([{ id: 's1', name: 'environment s1', tasks: [one, one] }]);
    for (const use of uses) use.release();
    await expect.poll(() => stopped).toEqual(['s1']);
    await shared.take('a', one, begin, undefined);
    expect(started).toBe(2);
    await shared.dispose();
    expect(stopped).toEqual(['s1', 's2']);
  });

  it('are started again after one ended or failed to start', async () => {
    const stopped: string[] = [];
    const shared = new SharedServers('local');
    await expect(shared.take('a', one, () => Promise.reject(new Error('no')), undefined)).rejects.toThrow('no');
    const dead = { ...fake(stopped, 'dead'), exit: Promise.resolve() };
    await shared.take('a', one, async () => dead, undefined);
    const use = await shared.take('a', one, async () => fake(stopped, 'new'), undefined);

    expect(use.server.address).toBe('http://new');
    await shared.dispose();
  });

  it('of an older version end with their last run, and the next run gets a new one', async () => {
    const stopped: string[] = [];
    const shared = new SharedServers('local');
    const begin = (name: string) => async () => fake(stopped, name);
    const old = await shared.take('a', one, begin('old'), undefined, '1');
    const current = await shared.take('a', one, begin('new'), undefined, '2');

    expect([old.server.id, current.server.id, ...stopped]).toEqual(['old', 'new']);
    expect(shared.running.map(({ id }) => id).sort()).toEqual(['new', 'old']);
    old.release();
    await expect.poll(() => stopped).toEqual(['old']);
    current.release();
    expect((await shared.take('a', one, begin('no'), undefined, '2')).server.id).toBe('new');
    await shared.take('a', one, begin('third'), undefined, '3');
    await shared.dispose();
    expect([...stopped].sort()).toEqual(['new', 'old', 'third']);
    expect(shared.running).toEqual([]);
  });

  it('that serve one run at a time are started once for each run at a time', async () => {
    const stopped: string[] = [];
    let started = 0;
    const shared = new SharedServers('local');
    const begin = async (): Promise<StartedServer> => ({ ...fake(stopped, `s${++started}`), exclusive: true });
    const take = () => shared.take('a', one, begin, undefined);
    const uses = await Promise.all([take(), take(), take()]);

    expect(uses.map(({ server }) => server.id)).toEqual(['s1', 's2', 's3']);
    uses[1]?.release();
    expect((await take()).server.id).toBe('s2');
    await shared.dispose();
    expect([...stopped].sort()).toEqual(['s1', 's2', 's3']);
  });

  it('of an older version end at once if no run uses them', async () => {
    const stopped: string[] = [];
    const shared = new SharedServers('local');
    (await shared.take('a', one, async () => fake(stopped, 'old'), undefined, '1')).release();
    await shared.take('a', one, async () => fake(stopped, 'new'), undefined, '2');
    await expect.poll(() => stopped).toEqual(['old']);
    await shared.dispose();
  });
});
