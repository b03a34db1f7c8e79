import { existsSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { folderOf, nothingLeft, place, processesOf, processOf, TestSession } from './harness.ts';

/** Loads the functions, which on a busy machine takes longer than the time limits of the calls after it. */
const loaded = async (session: TestSession) => expect(await session.evaluate('is_fine')).toMatchObject({ value: 1 });

const ended = (code: string) => expect.objectContaining({ event: 'session.ended', code });

describe('a call that does not return', () => {
  test('is abandoned after its time limit if it only waits, and the session continues', async () => {
    const { placement } = place();
    const session = await TestSession.open(placement);

    await loaded(session);
    const outcome = await session.evaluate('waits_for_ever', 300);

    expect(outcome).toMatchObject({
      error: { code: 'call_timeout', message: expect.stringContaining('`waits_for_ever` did not return within 0.3 s') },
    });
    expect(await session.evaluate('is_fine')).toMatchObject({ value: 1 });
  });

  test('gives 0 if it waits for a page that does not respond after the agent acted, and the session continues', async () => {
    const { placement } = place();
    const session = await TestSession.open(placement);
    await session.step('noop()');
    await session.evaluate('blocks_the_page');

    expect(await session.evaluate('page_text', 2_000)).toMatchObject({
      value: 0,
      reason: 'the page does not respond: one of its scripts does not end',
      blame: 'agent',
    });
    expect(await session.evaluate('is_fine')).toMatchObject({ value: 1 });
  });

  test('is killed with its session if it loops, while another session continues', async () => {
    const { placement } = place();
    const other = await TestSession.open(placement, '<p>The other</p>');
    const session = await TestSession.open(placement);

    await loaded(session);
    const looping = session.evaluate('loops_for_ever', 1_000);
    expect(await other.reason('page_text')).toBe('The other');

    expect(await looping).toMatchObject({
      error: { code: 'call_timeout', message: expect.stringMatching(/loops_for_ever.*1 s.*endless loop/) },
    });
    expect(session.events).toContainEqual(ended('call_timeout'));
    await expect(session.step("click('p')")).rejects.toMatchObject({ code: 'session_closed' });
    expect(await other.step("click('p')")).toMatchObject({ error: null });
    expect(await (await TestSession.open(placement)).evaluate('is_fine')).toMatchObject({ value: 1 });
  });

  test('is detected if it loops after it returned: the session ends with a reason', async () => {
    const { placement } = place();
    const session = await TestSession.open(placement);
    await session.evaluate('loops_after_it_returned');

    await expect(session.step("click('p')")).rejects.toMatchObject({
      code: 'session_hung',
      message: expect.stringContaining('endless loop'),
    });
  });

  test('does not block closing its session', async () => {
    const { placement, mark } = place();
    const session = await TestSession.open(placement);
    const pid = Number(await session.reason('process_id'));
    const looping = expect(session.evaluate('loops_for_ever')).rejects.toMatchObject({ code: 'session_closed' });
    await session.close();

    await looping;
    expect((await processesOf(mark)).map((each) => each.pid)).not.toContain(pid);
  });
});

describe('a call that takes all memory', () => {
  test.each(['fills_the_heap', 'fills_memory_outside_the_heap'])(
    '%s: is recognized, and the server continues',
    async (name) => {
      const { placement } = place({ memoryMb: 128 });
      const session = await TestSession.open(placement);

      expect(await session.evaluate(name, 40_000)).toMatchObject({
        error: { code: 'out_of_memory', message: expect.stringContaining(`${name} needed more than 128 MB`) },
      });
      expect(session.events).toContainEqual(ended('out_of_memory'));
      expect(await (await TestSession.open(placement)).evaluate('is_fine')).toMatchObject({ value: 1 });
    },
  );
});

describe('the process of a session', () => {
  test('that is killed from outside is reported, and a new session can be opened', async () => {
    const { placement } = place();
    const session = await TestSession.open(placement);
    const pid = Number(await session.reason('process_id'));

    const waiting = session.evaluate('waits_for_ever');
    process.kill(pid, 'SIGKILL');

    expect(await waiting).toMatchObject({
      error: { code: 'session_died', message: expect.stringMatching(/ended by SIGKILL during waits_for_ever/) },
    });
    expect(session.events).toContainEqual(ended('session_died'));
    expect(await (await TestSession.open(placement)).evaluate('is_fine')).toMatchObject({ value: 1 });
  });

  test('that a function ends is reported', async () => {
    const { placement } = place();
    const session = await TestSession.open(placement);

    expect(await session.evaluate('leaves')).toMatchObject({
      error: { code: 'session_died', message: expect.stringMatching(/during leaves with code 3.*process\.exit/) },
    });
  });

  test('is killed in the middle of a step', async () => {
    const { placement } = place();
    const session = await TestSession.open(placement);
    const pid = Number(await session.reason('process_id'));

    const stepping = session.step('noop(20000)');
    process.kill(pid, 'SIGKILL');

    await expect(stepping).rejects.toMatchObject({ code: 'session_died' });
  });

  test('survives an unhandled rejection, and logs it', async () => {
    const { placement } = place();
    const session = await TestSession.open(placement);

    expect(await session.evaluate('forgets_to_await')).toMatchObject({ value: 1 });
    expect(await session.evaluate('is_fine')).toMatchObject({ value: 1 });
    await vi.waitFor(
      () =>
        expect(session.events).toContainEqual(
          expect.objectContaining({ event: 'log', text: expect.stringContaining('nobody waited for me') }),
        ),
      { timeout: 60_000 },
    );
  });

  test('ends the processes of a function', async () => {
    const { placement, mark } = place();
    const session = await TestSession.open(placement);
    const started = Number(await session.reason('starts_a_program'));
    expect((await processesOf(mark)).map(({ pid }) => pid)).toContain(started);

    await session.close();

    await vi.waitFor(async () => expect((await processesOf(mark)).map(({ pid }) => pid)).not.toContain(started), {
      timeout: 60_000,
    });
  });

  test('prints to the log and nowhere else', async () => {
    const { placement } = place();
    const session = await TestSession.open(placement);

    await session.evaluate('prints');
    await session.close();

    const lines = session.events.flatMap((event) => (event.event === 'log' ? [event.text] : []));
    expect(lines).toEqual(expect.arrayContaining(['a line for the log', 'another line, with no end']));
  });
});

describe('the server', () => {
  test('that is killed during a step rejects it with its last output; the next request starts a new one', async () => {
    const { placement, mark } = place();
    const session = await TestSession.open(placement);
    const stepping = session.step('noop(20000)');
    const server = await processOf(mark, 'server');

    process.kill(server.pid, 'SIGKILL');

    await expect(stepping).rejects.toMatchObject({ code: 'server_died', message: expect.stringContaining('SIGKILL') });
    await nothingLeft(mark);
    expect(await (await TestSession.open(placement)).evaluate('is_fine')).toMatchObject({ value: 1 });
  });

  test('that ends while a browser starts ends it, and removes its files', async () => {
    const { placement, mark } = place();
    await placement.server();
    const folder = await folderOf(mark);
    await processOf(mark, 'browser');

    await placement.dispose();

    await nothingLeft(mark);
    expect(existsSync(folder)).toBe(false);
  });

  test('that is killed ends a session that loops endlessly', async () => {
    const { placement, mark } = place();
    const session = await TestSession.open(placement);
    session.evaluate('loops_for_ever').catch(() => {});
    const server = await processOf(mark, 'server');
    await processOf(mark, 'browser');

    process.kill(server.pid, 'SIGKILL');

    await nothingLeft(mark);
  });
});
