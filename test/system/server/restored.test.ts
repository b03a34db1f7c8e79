import { afterAll, beforeAll, expect, test } from 'vitest';
import { EMPTY_RANGE } from '../../../src/base/range.ts';
import { locateMiniwob } from '../../../src/environments/browser/miniwob/locate.ts';
import type { EnvironmentServer } from '../../../src/placement/placement.ts';
import type { Task } from '../../../src/tasks/task.ts';
import { type Marked, misbehaving, placeForAll, processOf, task } from './harness.ts';

const withoutMiniwob = !('found' in (await locateMiniwob()));

let marked: Marked;
let server: EnvironmentServer;
beforeAll(async () => {
  marked = placeForAll();
  server = await marked.placement.server();
});
afterAll(() => marked.placement.dispose());

const files = { folder: misbehaving };

/** One session after the other: they have the same process. */
async function inSession<T>(work: (session: string) => Promise<T>): Promise<T> {
  const { session } = await server.request('session.open', {});
  try {
    return await work(session);
  } finally {
    await server.request('session.close', { session });
  }
}

const reset = (session: string, of: Task) => server.request('session.reset', { session, task: of, files, seed: 0 });

const ask = async (session: string, name: string, ...args: string[]) => {
  const call = { function: name, args, range: EMPTY_RANGE };
  const outcome = await server.request('session.evaluate', { session, call, limit_ms: 20_000 });
  return 'error' in outcome ? outcome.error.code : outcome.value;
};

const restore = (session: string, recorded: Awaited<ReturnType<typeof reset>>['recorded']) =>
  server.request('session.restore', {
    session,
    kind: 'browser',
    files,
    page: recorded?.page ?? null,
    resources: recorded?.resources ?? {},
    actions: [...(recorded?.actions ?? [])],
    response: 'from the recording',
  });

const marking = `<p>Marked</p><script>document.cookie = 'mark=1'; localStorage.mark = '1'; document.title = 'Marked'</script>`;
const looking = `<p id=p>Plain</p><script>p.textContent += ' ' + [document.cookie, Object.keys(localStorage)].join() + ' scripts run'</script>`;

test('Tasks and restored pages in one process do not affect each other', async () => {
  const { recorded } = await inSession((session) => reset(session, task(marking)));
  const { pid } = await processOf(marked.mark, 'session');

  await inSession(async (session) => {
    await restore(session, recorded);
    expect(await ask(session, 'page_contains', 'Marked')).toBe(1);
    expect(await ask(session, 'response_is', 'from the recording')).toBe(1);
  });
  await inSession(async (session) => {
    const { info } = await reset(session, task(looking));
    expect(info.title).not.toBe('Marked');
    expect(await ask(session, 'page_contains', 'Plain , scripts run')).toBe(1);
    expect(await ask(session, 'page_contains', 'Marked')).toBe(0);
    expect(await ask(session, 'response_is', 'from the recording')).toBe(0);
    const { recorded: after } = await server.request('session.step', {
      session,
      actions: ["send_msg_to_user('live')"],
    });
    expect(Buffer.from(after?.page ?? []).toString()).not.toContain('mark=1');
    // In one session too.
    await restore(session, recorded);
    expect(await ask(session, 'page_contains', 'Plain')).toBe(0);
    expect(await ask(session, 'response_is', 'live')).toBe(0);
    await reset(session, task(looking));
    expect(await ask(session, 'page_contains', 'Plain , scripts run')).toBe(1);
  });
  expect((await processOf(marked.mark, 'session')).pid).toBe(pid);
});

test.skipIf(withoutMiniwob)('A tab that is reused for a benchmark task is clean after a restored page', async () => {
  const env = { type: 'browsergym', benchmark: 'miniwob', task_name: 'click-test' };
  const benchmark = task('', { env, prompt: null, initial_state: {} });
  const first = await inSession((session) => reset(session, benchmark));
  await inSession(async (session) => {
    await restore(session, first.recorded);
    expect(await ask(session, 'element_exists', '#subbtn')).toBe(1);
  });
  const again = await inSession((session) => reset(session, benchmark));
  expect(again.observation).toEqual(first.observation);
  await inSession(async (session) => {
    await reset(session, benchmark);
    await restore(session, first.recorded);
    expect(await ask(session, 'element_exists', '#subbtn')).toBe(1);
    const { observation } = await reset(session, benchmark);
    expect(observation).toEqual(first.observation);
  });
});
