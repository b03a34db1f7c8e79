import { describe, expect, test, vi } from 'vitest';
import { hasPython } from '../python.ts';
import { nothingLeft, place, processesOf, processOf, TestSession } from './harness.ts';

describe.runIf(hasPython('sessions with functions in Python'))('functions in Python', () => {
  test('run in one process, which the first of them starts', async () => {
    const { placement, mark } = place();
    const session = await TestSession.open(placement);
    const pythons = async () =>
      (await processesOf(mark)).filter(({ command }) => command.includes('functions-host.py'));

    await session.evaluate('is_fine');
    expect(await pythons()).toEqual([]);
    const pid = await session.reason('python_pid');
    expect(await session.reason('python_pid')).toBe(pid);
    expect((await pythons()).map((each) => String(each.pid))).toEqual([pid]);
  });

  test('that loop endlessly are ended at the time limit, and the session continues', async () => {
    const { placement, mark } = place();
    const session = await TestSession.open(placement);
    const pid = Number(await session.reason('python_pid'));

    expect(await session.evaluate('python_loops', 300)).toMatchObject({
      error: { code: 'call_timeout', message: expect.stringContaining('`python_loops` did not return within 0.3 s') },
    });
    await vi.waitFor(async () => expect((await processesOf(mark)).map((each) => each.pid)).not.toContain(pid), {
      timeout: 60_000,
    });
    expect(await session.evaluate('python_is_fine')).toMatchObject({ value: 1 });
    expect(await session.step("click('p')")).toMatchObject({ error: null });
  });

  test('that use all memory are recognized, and the session continues', async () => {
    const { placement } = place({ memoryMb: 128 });
    const session = await TestSession.open(placement);

    expect(await session.evaluate('python_fills_memory', 40_000)).toMatchObject({
      error: {
        code: 'out_of_memory',
        message: expect.stringMatching(/^`python_fills_memory` used more than \d+ MB/),
      },
    });
    expect(await session.evaluate('python_is_fine')).toMatchObject({ value: 1 });
  });

  test('end with their session, even during a loop, together with their processes', async () => {
    const { placement, mark } = place();
    const session = await TestSession.open(placement);
    const pids = [Number(await session.reason('python_starts_a_program')), Number(await session.reason('python_pid'))];
    expect((await processesOf(mark)).map(({ pid }) => pid)).toEqual(expect.arrayContaining(pids));
    const looping = expect(session.evaluate('python_loops')).rejects.toMatchObject({ code: 'session_closed' });

    await session.close();

    await looping;
    await vi.waitFor(
      async () => {
        const left = (await processesOf(mark)).map(({ pid }) => pid);
        for (const pid of pids) expect(left).not.toContain(pid);
      },
      { timeout: 60_000 },
    );
  });

  test.each(['server', 'session'] as const)('end with a %s that is killed', async (kind) => {
    const { placement, mark } = place();
    const session = await TestSession.open(placement);
    const python = Number(await session.reason('python_pid'));
    const pid = kind === 'server' ? (await processOf(mark, kind)).pid : Number(await session.reason('process_id'));
    const looping = session.evaluate('python_loops').catch(() => {});
    process.kill(pid, 'SIGKILL');

    await looping;
    if (kind === 'server') await nothingLeft(mark);
    else
      await vi.waitFor(async () => expect((await processesOf(mark)).map((each) => each.pid)).not.toContain(python), {
        timeout: 60_000,
      });
  });

  test('print to the log', async () => {
    const { placement } = place();
    const session = await TestSession.open(placement);

    await session.evaluate('python_prints');
    await session.close();

    const lines = session.events.flatMap((event) => (event.event === 'log' ? [`${event.level}: ${event.text}`] : []));
    expect(lines).toEqual(
      expect.arrayContaining(['info: a line of Python for the log', 'warning: and one of its errors']),
    );
  });
});
