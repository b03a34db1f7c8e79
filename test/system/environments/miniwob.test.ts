import { createHash } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BrowserEnvironment } from '../../../src/environments/browser/environment.ts';
import { inBrowserGym, miniwobTasks } from '../../../src/environments/browser/miniwob/tasks.ts';
import { everyThird } from '../../sample.ts';
import { asRecorded, inPairs, miniwobEnvironment, miniwobTask, missing, recorded, reset } from './miniwob-pages.ts';
import { launch } from './stage.ts';

const LONG = 300_000;

interface Reset {
  readonly task: string;
  readonly seed: number;
  readonly goal: string;
  readonly axtree_sha1: string;
}

interface Episode {
  readonly task: string;
  readonly seed: number;
  readonly kind: string;
  readonly goal: string;
  readonly steps: readonly {
    readonly action: string | null;
    readonly reward: number | null;
    readonly terminated: boolean;
    readonly task_info?: { readonly RAW_REWARD_GLOBAL?: number; readonly error?: string } | null;
    readonly raw?: number;
    readonly last_action_error: string;
    readonly axtree?: string;
  }[];
}

/** Plays an episode and says where it went another way than BrowserGym's. */
async function differences(environment: BrowserEnvironment, row: Episode): Promise<string[]> {
  const wrong: string[] = [];
  const start = await reset(environment, miniwobTask(row.task), row.seed);
  if (start.goal !== row.goal) wrong.push(`${row.task} ${row.seed}: ${start.goal}`);
  for (const step of row.steps) {
    const result = step.action === null ? start : await environment.step([step.action]);
    const where = `${row.task} ${row.seed} ${row.kind} ${step.action}`;
    if (step.axtree !== undefined && asRecorded(result.observation.text) !== step.axtree) {
      wrong.push(`${where}: other text`);
    }
    if (step.action === null) continue;
    const info = result.info.task_info ?? {};
    const ours = [result.reward, result.terminated, result.error !== null, info['error'], info['RAW_REWARD_GLOBAL']];
    const raw = step.task_info?.RAW_REWARD_GLOBAL ?? step.raw ?? info['RAW_REWARD_GLOBAL'];
    const theirs = [step.reward, step.terminated, step.last_action_error !== '', step.task_info?.error, raw];
    if (JSON.stringify(ours) !== JSON.stringify(theirs)) {
      wrong.push(`${where}: ${JSON.stringify(ours)} (${result.error?.message}), not ${JSON.stringify(theirs)}`);
    }
  }
  return wrong;
}

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

describe.skipIf(missing !== null)('MiniWoB++', () => {
  it('starts every task that BrowserGym has, without page errors', { timeout: LONG }, async () => {
    const wrong: string[] = [];
    await inPairs(browser, everyThird(miniwobTasks.filter(inBrowserGym)), async (environment, name) => {
      const { goal, info, observation, reward, terminated } = await reset(environment, miniwobTask(name), 0);
      const messages = (info.messages ?? []).filter(({ kind }) => kind !== 'log').map(({ text }) => text);
      if (!goal || messages.length > 0) wrong.push(`${name}: ${goal} ${messages.join('; ')}`);
      expect([reward, terminated, observation.screenshot?.width, observation.screenshot?.height]).toEqual([
        0,
        false,
        498,
        321,
      ]);
    });
    expect(wrong).toEqual([]);
  });

  it('returns the same goal and text for a seed as BrowserGym', { timeout: LONG }, async () => {
    const rows = await recorded<Reset>('resets');
    expect(rows.length).toBeGreaterThan(180);
    const wrong: string[] = [];
    await inPairs(browser, everyThird(rows), async (environment, row) => {
      const { goal, observation } = await reset(environment, miniwobTask(row.task), row.seed);
      if (goal !== row.goal) wrong.push(`${row.task} ${row.seed}: ${goal}`);
      const sha1 = createHash('sha1').update(asRecorded(observation.text)).digest('hex');
      // Its prompt has a date in it: no two of BrowserGym's own recordings are the same.
      if (sha1 !== row.axtree_sha1 && row.task !== 'terminal') wrong.push(`${row.task} ${row.seed}: other text`);
    });
    expect(wrong).toEqual([]);
  });

  it.each(['episodes', 'episodes-coord', 'axtree-steps'])(
    'answers actions as BrowserGym does: %s',
    { timeout: LONG },
    async (name) => {
      // BrowserGym refuses coordinates where it is not told to take them; here they are always taken.
      const rows = (await recorded<Episode>(name)).filter(({ kind }) => kind !== 'err-coord-refused');
      const again: Episode[] = [];
      await inPairs(browser, everyThird(rows), async (environment, row) => {
        if ((await differences(environment, row)).length > 0) again.push(row);
      });
      // A busy machine may not have clicked within BrowserGym's half second.
      const environment = miniwobEnvironment(browser);
      const wrong: string[] = [];
      for (const row of again) wrong.push(...(await differences(environment, row)));
      await environment.close();
      expect(wrong).toEqual([]);
    },
  );

  it('counts any reward as success, as BrowserGym does, or only the full reward', async () => {
    const environment = miniwobEnvironment(browser);
    const wrongCard = async (more: Readonly<Record<string, string>>) => {
      await reset(environment, miniwobTask('find-greatest', more), 0);
      await environment.step(["click('13')"]);
      return environment.step(["click('20')"]);
    };
    expect(await wrongCard({})).toMatchObject({ reward: 1, terminated: true });
    expect(await wrongCard({ success: 'full' })).toMatchObject({
      reward: 0,
      terminated: true,
      info: { task_info: { RAW_REWARD_GLOBAL: 0.1 } },
    });
    await environment.close();
  });

  it('renders the larger screenshot once, before and after an action', async () => {
    const environment = miniwobEnvironment(browser);
    const looker = await browser.newPage();
    /** The colour of a picture's pixel. */
    const colour = (picture: Uint8Array | undefined, x: number, y: number) =>
      looker.evaluate(
        async ([data, x, y]) => {
          const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
          const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
          context?.drawImage(image, 0, 0);
          return [...(context?.getImageData(x, y, 1, 1).data ?? [])].slice(0, 3).join(' ');
        },
        [Buffer.from(picture ?? []).toString('base64'), x, y] as const,
      );
    const start = await reset(environment, miniwobTask('enter-text'), 0);
    const filled = await environment.step(["fill('14', 'Myron')"]);
    for (const { observation } of [start, filled]) {
      // The yellow of the place where the goal was, which is 160 pixels of the page wide.
      expect(await colour(observation.screenshot?.data, 230, 20)).toBe('255 255 0');
      expect(await colour(observation.screenshot?.data, 450, 20)).not.toBe('255 255 0');
    }
    await looker.close();
    await environment.close();
  });

  it('reuses the tab of the previous task only if that has no effect', async () => {
    const environment = miniwobEnvironment(browser);
    const page = () => environment.functionContext().page as Page;
    const felt = () =>
      page().evaluate(() => [
        window.name,
        document.referrer,
        document.cookie,
        localStorage.length + sessionStorage.length,
        history.length,
        document.querySelectorAll('#area :hover').length,
      ]);
    const nothing = ['', '', '', 0, 2, 0];
    await reset(environment, miniwobTask('click-test'), 0);
    const first = page();
    expect(await felt()).toEqual(nothing);
    await environment.step(["click('13')"]);
    await environment.rest();
    await reset(environment, miniwobTask('click-test'), 1);
    expect(page()).toBe(first);
    expect(await felt()).toEqual(nothing);
    const traces = [
      () => page().evaluate(() => localStorage.setItem('cart', '1')),
      () => page().evaluate(() => sessionStorage.setItem('cart', '1')),
      () => page().evaluate(() => Object.assign(document, { cookie: 'cart=1' })),
      () => page().evaluate(() => Object.assign(window, { name: 'cart' })),
      () =>
        page().evaluate(async () => {
          const opening = indexedDB.open('cart');
          await new Promise((resolve) => opening.addEventListener('success', resolve));
        }),
      () => page().evaluate(() => Object.assign(location, { hash: 'cart' })),
      () => environment.step(['mouse_down(100, 100)']),
      () => environment.step(["keyboard_down('Shift')"]),
      () => environment.step(["goto('about:blank')", 'go_back()']),
      () => environment.step(['new_tab()']),
    ];
    for (const leave of traces) {
      const before = page();
      await leave();
      await environment.rest();
      await reset(environment, miniwobTask('click-test'), 0);
      expect(page(), String(leave)).not.toBe(before);
      expect(before.isClosed()).toBe(true);
      expect(await felt()).toEqual(nothing);
    }
    await environment.close();
    expect(first.context().pages()).toEqual([]);
  });

  it('reports the task that cannot start', async () => {
    const environment = miniwobEnvironment(browser);
    await expect(reset(environment, miniwobTask('no-such-task'), 0)).rejects.toMatchObject({
      code: 'start_failed',
      message: expect.stringMatching(/no-such-task/),
    });
    await environment.close();
  });
});
