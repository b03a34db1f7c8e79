import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { folderOf, nothingLeft, place, processesOf, processOf, TestSession } from './harness.ts';

const ended = (code: string) => expect.objectContaining({ event: 'session.ended', code });

describe('a call that does not return', () => {
  test('is given up after its time limit when it only waits, and the session goes on', async () => {
    const { placement } = place();
    const session = await TestSession.open(placement);

    const outcome = await session.evaluate('waits_for_ever', 300);

    expect(outcome).toMatchObject({
      error: { code: 'call_timeout', message: expect.stringContaining('`waits_for_ever` did not return within 0.3 s') },
    });
    expect(await session.evaluate('is_fine')).toMatchObject({ value: 1 });
  });

  test('is killed with its session when it loops, while another session goes on', async () => {
    const { placement } = place();
    const other = await TestSession.open(placement, '<p>The other</p>');
    const session = await TestSession.open(placement);

    const looping = session.evaluate('loops_for_ever', 300);
    expect(await other.reason('page_text')).toBe('The other');

    expect(await looping).toMatchObject({
      error: { code: 'call_timeout', message: expect.stringMatching(/loops_for_ever.*0\.3 s.*endless loop/) },
    });
    expect(session.events).toContainEqual(ended('call_timeout'));
    await expect(session.step("click('p')")).rejects.toMatchObject({ code: 'session_closed' });
    expect(await other.step("click('p')")).toMatchObject({ error: null });
    expect(await (await TestSession.open(placement)).evaluate('is_fine')).toMatchObject({ value: 1 });
  });

  test('is noticed when it loops on after it returned: the session is ended, and says why', async () => {
    const { placement } = place();
    const session = await TestSession.open(placement);
    await session.evaluate('loops_after_it_returned');

    await expect(session.step("click('p')")).rejects.toMatchObject({
      code: 'session_hung',
      message: expect.stringContaining('endless loop'),
    });
  });

  test('holds up nobody when the session is closed in the middle of it', async () => {
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
    '%s: is told apart, and the server lives',
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
  test('that is killed from outside says so, and a new session can be opened', async () => {
    const { placement } = place();
    const session = await TestSession.open(placement);
    const pid = Number(await session.reason('process_id'));

    const waiting = session.evaluate('waits_for_ever');
    process.kill(pid, 'SIGKILL');

    expect(await waiting).toMatchObject({
      error: { code: 'session_died', message: expect.stringMatching(/from outside during waits_for_ever \(SIGKILL\)/) },
    });
    expect(session.events).toContainEqual(ended('session_died'));
    expect(await (await TestSession.open(placement)).evaluate('is_fine')).toMatchObject({ value: 1 });
  });

  test('that a function ends says so', async () => {
    const { placement } = place();
    const session = await TestSession.open(placement);

    expect(await session.evaluate('leaves')).toMatchObject({
      error: { code: 'session_died', message: expect.stringMatching(/exit code 3.*process\.exit/) },
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

  test('survives a promise that nobody awaits, and says so in the log', async () => {
    const { placement } = place();
    const session = await TestSession.open(placement);

    expect(await session.evaluate('forgets_to_await')).toMatchObject({ value: 1 });
    expect(await session.evaluate('is_fine')).toMatchObject({ value: 1 });
    await vi.waitFor(() =>
      expect(session.events).toContainEqual(
        expect.objectContaining({ event: 'log', text: expect.stringContaining('nobody waited for me') }),
      ),
    );
  });

  test('takes what a function started with it', async () => {
    const { placement, mark } = place();
    const session = await TestSession.open(placement);
    const started = Number(await session.reason('starts_a_program'));
    expect((await processesOf(mark)).map(({ pid }) => pid)).toContain(started);

    await session.close();

    await vi.waitFor(async () => expect((await processesOf(mark)).map(({ pid }) => pid)).not.toContain(started));
  });

  test('has its prints in the log and nowhere else', async () => {
    const { placement } = place();
    const session = await TestSession.open(placement);

    await session.evaluate('prints');
    await session.close();

    const lines = session.events.flatMap((event) => (event.event === 'log' ? [event.text] : []));
    expect(lines).toEqual(expect.arrayContaining(['a line for the log', 'another line, with no end']));
  });
});

describe('the page', () => {
  test('that crashes in a call ends its session alone', async () => {
    const { placement } = place();
    const other = await TestSession.open(placement);
    const session = await TestSession.open(placement);

    expect(await session.evaluate('crashes_the_page')).toMatchObject({ error: { code: 'page_crashed' } });
    expect(session.events).toContainEqual(ended('page_crashed'));
    await expect(session.step("click('p')")).rejects.toMatchObject({ code: 'session_closed' });
    expect(await other.step("click('p')")).toMatchObject({ error: null });
  });

  test('that never finishes loading does not hold up the step for ever', async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      silent.closeAllConnections();
      silent.close();
    });
    const { placement } = place();
    const session = await TestSession.open(placement);

    const result = await session.step(`goto('http://127.0.0.1:${(silent.address() as AddressInfo).port}/')`);

    expect(result.error).not.toBeNull();
    expect(await session.evaluate('is_fine')).toMatchObject({ value: 1 });
  });

  test('that shows a dialog does not hold up the step', async () => {
    const { placement } = place();
    const session = await TestSession.open(
      placement,
      `<button onclick="alert('Stop'); this.textContent = 'After'">Go</button>`,
    );

    await session.step("click('button')");

    expect(await session.reason('page_text')).toContain('After');
  });
});

describe('the browser', () => {
  test('that is killed ends the sessions that use it; the next gets a new one', async () => {
    const { placement, mark } = place();
    const session = await TestSession.open(placement);
    const stepping = session.step('noop(20000)');
    const first = await processOf(mark, 'browser');

    process.kill(first.pid, 'SIGKILL');

    await expect(stepping).rejects.toMatchObject({ code: 'browser_crashed' });
    expect(session.events).toContainEqual(ended('browser_crashed'));
    const next = await TestSession.open(placement);
    expect(await next.evaluate('is_fine')).toMatchObject({ value: 1 });
    expect((await processOf(mark, 'browser')).pid).not.toBe(first.pid);
  });

  test('that is killed in the middle of a call is the outcome of the call', async () => {
    const { placement, mark } = place();
    const session = await TestSession.open(placement);
    const waiting = session.evaluate('waits_for_ever');

    process.kill((await processOf(mark, 'browser')).pid, 'SIGKILL');

    expect(await waiting).toMatchObject({ error: { code: 'browser_crashed' } });
  });
});

/** Answers over its pipe as Chromium does, until it is asked which process it is: then it stops and never ends by itself. */
const FREEZES = `#!${process.execPath}
const { createReadStream, writeSync } = require('node:fs');
const version = { protocolVersion: '1.3', product: 'HeadlessChrome/1.0', revision: '', userAgent: '', jsVersion: '' };
let received = '';
createReadStream(null, { fd: 3 }).on('data', (chunk) => {
  received += chunk;
  for (let end = received.indexOf('\\0'); end >= 0; end = received.indexOf('\\0')) {
    const { id, method, sessionId } = JSON.parse(received.slice(0, end));
    received = received.slice(end + 1);
    if (method === 'SystemInfo.getProcessInfo' || method === 'Target.attachToBrowserTarget') process.kill(process.pid, 'SIGSTOP');
    const result = method === 'Browser.getVersion' ? version : {};
    writeSync(4, JSON.stringify({ id, result, sessionId }) + '\\0');
  }
});
`;

describe.skipIf(process.platform !== 'linux')('all processes of a browser', () => {
  test('are gone when its session is closed', async () => {
    const { placement, mark } = place();
    const session = await TestSession.open(placement);
    await processOf(mark, 'browser');
    await placement.dispose();
    expect((await processesOf(mark)).map((each) => each.command)).toEqual([]);
    await expect(session.step('noop(1)')).rejects.toBeDefined();
  });

  test('are gone when it froze while it started', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'taskwright-frozen-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, 'browser.js');
    await writeFile(path, FREEZES, { mode: 0o755 });
    vi.stubEnv('TASKWRIGHT_BROWSER', path);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { placement, mark } = place();
    const opening = expect(TestSession.open(placement)).rejects.toBeDefined();
    const isFrozen = async (): Promise<boolean> => {
      const { pid } = await processOf(mark, 'browser');
      return (await readFile(`/proc/${pid}/stat`, 'utf8')).includes(') T ');
    };
    await expect.poll(isFrozen, { timeout: 20_000 }).toBe(true);
    await placement.dispose();
    await opening;
    await nothingLeft(mark);
  });
});

describe('the server', () => {
  test('that is killed in the middle of a step rejects it with its last words; the next request starts a new one', async () => {
    const { placement, mark } = place();
    const session = await TestSession.open(placement);
    const stepping = session.step('noop(20000)');
    const server = await processOf(mark, 'server');

    process.kill(server.pid, 'SIGKILL');

    await expect(stepping).rejects.toMatchObject({ code: 'server_died', message: expect.stringContaining('SIGKILL') });
    await nothingLeft(mark);
    expect(await (await TestSession.open(placement)).evaluate('is_fine')).toMatchObject({ value: 1 });
  });

  test('that ends while a browser starts takes it along, and its files', async () => {
    const { placement, mark } = place();
    await placement.server();
    const folder = await folderOf(mark);
    await processOf(mark, 'browser');

    await placement.dispose();

    await nothingLeft(mark);
    expect(existsSync(folder)).toBe(false);
  });

  test('that is killed takes a session with it that loops for ever', async () => {
    const { placement, mark } = place();
    const session = await TestSession.open(placement);
    session.evaluate('loops_for_ever').catch(() => {});
    const server = await processOf(mark, 'server');
    await processOf(mark, 'browser');

    process.kill(server.pid, 'SIGKILL');

    await nothingLeft(mark);
  });
});
