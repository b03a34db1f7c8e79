import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { needsLinux } from '../../systems.ts';
import { nothingLeft, place, processesOf, processOf, TestSession } from './harness.ts';

const ended = (code: string) => expect.objectContaining({ event: 'session.ended', code });

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

  test('that never finishes loading does not block the step', async () => {
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

  test('that shows a dialog does not block the step', async () => {
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

describe.skipIf(needsLinux('all processes of a browser'))('all processes of a browser', () => {
  test('are gone when its session is closed', async () => {
    const { placement, mark } = place();
    const session = await TestSession.open(placement);
    await processOf(mark, 'browser');
    await placement.dispose();
    expect((await processesOf(mark)).map((each) => each.command)).toEqual([]);
    await expect(session.step('noop(1)')).rejects.toMatchObject({ code: 'server_ended' });
  });

  test('are gone when it froze while it started', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'taskwright-frozen-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, 'browser.js');
    await writeFile(path, FREEZES, { mode: 0o755 });
    vi.stubEnv('TASKWRIGHT_BROWSER', path);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { placement, mark } = place();
    const opening = expect(TestSession.open(placement)).rejects.toMatchObject({ code: 'server_ended' });
    const isFrozen = async (): Promise<boolean> => {
      const { pid } = await processOf(mark, 'browser');
      return (await readFile(`/proc/${pid}/stat`, 'utf8')).includes(') T ');
    };
    await expect.poll(isFrozen, { timeout: 60_000 }).toBe(true);
    await placement.dispose();
    await opening;
    await nothingLeft(mark);
  });
});
