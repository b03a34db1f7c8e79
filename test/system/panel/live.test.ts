import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { hud } from '../../../src/environments/hud/kind.ts';
import type { HostMessage, ManualGesture } from '../../../src/presentation/runs/messages.ts';
import { panelMessageSchema } from '../../../src/presentation/runs/messages.ts';
import { root } from '../programs.ts';
import { messagesOf, panel, pictures, selectedSteps, shareBrowser, shell, show, steplist } from './opened-panel.ts';
import { finished, manual, running, spoken, starting, step, steps, waiting } from './runs.ts';
import type { ShellOptions } from './shell.ts';
import { type ThemeName, themes } from './themes.ts';

shareBrowser();

/** Opens the panel with a run that the person does, and lets them act. */
function acting(options: ShellOptions, act: () => Promise<void>): Promise<void> {
  return panel(options, [show(manual, null, true)], async () => {
    await shell.sendFrame(pictures[0]?.jpeg ?? Buffer.alloc(0));
    await layer().waitFor();
    await act();
  });
}

function layer(): Locator {
  return shell.page.getByRole('application');
}

function bar(): Locator {
  return shell.page.getByRole('group', { name: 'Manual run' });
}

/** What the page said of the person's hand; all of it is what the extension takes. */
async function hand(): Promise<ManualGesture[]> {
  const all = await shell.messages();
  for (const message of all) expect(panelMessageSchema.safeParse(message).error).toBeUndefined();
  return all.flatMap((message) => (message.type === 'hand' ? [message.input] : []));
}

/** The place in the window where a pixel of the page is shown. The frames of these tests are 1280 × 800. */
async function at(x: number, y: number): Promise<[number, number]> {
  const box = await layer().boundingBox();
  if (box === null) throw new Error('the live picture is not shown');
  return [box.x + ((x + 0.5) * box.width) / 1280, box.y + ((y + 0.5) * box.height) / 800];
}

describe('a run in progress', () => {
  it('shows the current action, draws live frames, and follows the newest step', () =>
    panel(
      {},
      [show(running, null, true), { type: 'phase', text: 'Agent' }, { type: 'doing', text: "fill('28')" }],
      async () => {
        await shell.heard('live');
        expect(await messagesOf('live')).toEqual([{ type: 'live', on: true }]);
        expect(await shell.page.locator('.doing').textContent()).toBe("Agent · fill('28')");
        for (const picture of pictures) await shell.sendFrame(picture.jpeg);
        const canvas = shell.page.getByRole('img', { name: 'Live view of the environment' });
        await expect.poll(() => canvas.evaluate((node: HTMLCanvasElement) => node.width)).toBe(1280);
        // The newest frame wins: the cart with its voucher is white where the catalogue has a lamp.
        const expected = await canvas.evaluate((node: HTMLCanvasElement) =>
          node.getContext('2d')?.getImageData(60, 700, 1, 1).data.slice(0, 3).join(),
        );
        expect(expected).toBe('245,246,248');
        await shell.send({ type: 'step', step: steps[4] as (typeof steps)[number] });
        expect(await selectedSteps()).toEqual([expect.stringContaining('WINTER10')]);
      },
    ));

  it.each([
    ['running', 'waiting for the agent'],
    ['paused', 'paused'],
  ] as const)('shows the question and the state in an environment without screenshots: %s', (status, words) =>
    panel(
      {},
      [
        show({ ...spoken, status, verdict: null }, null, true),
        { type: 'phase', text: status === 'paused' ? 'paused' : words },
      ],
      async () => {
        const stage = shell.page.getByRole('region', { name: 'Screenshot' }).getByRole('paragraph');
        await expect
          .poll(() => stage.allInnerTexts())
          .toEqual([spoken.prompt, `This environment has no screenshots · ${words}`]);
        await expect.poll(() => stage.first().isVisible()).toBe(true);
      },
    ),
  );

  it('asks for an answer in an environment that begins without a picture', () => {
    const observation = step(0, { source: 'system', verb: 'observation', hasText: true });
    const asking = { ...manual, environment: 'hud', view: hud.view, actions: null, steps: [observation] };
    return panel({}, [show(asking, null, true), { type: 'phase', text: 'waiting for your input' }], async () => {
      const stage = shell.page.getByRole('region', { name: 'Screenshot' }).getByRole('paragraph');
      await expect
        .poll(() => stage.allInnerTexts())
        .toEqual([manual.prompt, 'This environment has no screenshots · waiting for your input']);
      expect(await bar().getByText('Answer the question').count()).toBe(1);
    });
  });

  it('stays at a selected step until following is turned on again', () =>
    panel({}, [show(running, null, true)], async () => {
      const follow = shell.page.getByRole('button', { name: 'Follow the newest step' });
      expect(await follow.isVisible()).toBe(false);
      await steplist().getByRole('option', { name: 'set_cookies' }).click();
      await shell.send({ type: 'step', step: steps[4] as (typeof steps)[number] });
      expect(await selectedSteps()).toEqual([expect.stringContaining('set_cookies')]);
      expect(await messagesOf('live')).toEqual([
        { type: 'live', on: true },
        { type: 'live', on: false },
      ]);
      await follow.click();
      await shell.drawn();
      expect(await selectedSteps()).toEqual([expect.stringContaining('WINTER10')]);
      expect(await messagesOf('selected')).toEqual([
        { type: 'selected', index: 1 },
        { type: 'selected', index: null },
      ]);
      expect((await messagesOf('live')).at(-1)).toEqual({ type: 'live', on: true });
    }));

  it('keeps the selection when the same run is posted again', () =>
    panel({}, [show({ ...running, status: 'starting', traceDir: null }, null, true)], async () => {
      await steplist().getByRole('option', { name: 'set_cookies' }).click();
      await shell.page.getByRole('tab', { name: 'Before' }).click();
      await shell.send(show(running, null, true));
      expect(await selectedSteps()).toEqual([expect.stringContaining('set_cookies')]);
      expect(await shell.page.getByRole('tab', { name: 'Before' }).getAttribute('aria-selected')).toBe('true');
    }));

  it('can be cancelled, and run again when it has ended', () =>
    panel({}, [show(running, null, true)], async () => {
      await shell.page.getByRole('button', { name: 'Stop Run' }).click();
      expect(await messagesOf('cancel')).toHaveLength(1);
      await shell.send({ type: 'ended', run: { ...finished, runId: running.runId }, select: null });
      expect(await shell.page.getByRole('tab', { name: 'Live' }).isVisible()).toBe(false);
      expect(await shell.page.locator('.doing').isVisible()).toBe(false);
      await shell.page.getByRole('button', { name: 'Rerun' }).click();
      expect(await messagesOf('rerun')).toHaveLength(1);
      expect(await shell.page.getByRole('status').textContent()).toBe('apply-voucher: Reward 0.67: partly passed.');
    }));

  it('can be pinned; its trace can be opened once it exists', () =>
    panel({}, [show(starting, null, true)], async () => {
      expect(await shell.page.getByRole('button', { name: 'Open Trace File' }).isVisible()).toBe(false);
      await shell.send(show(running, null, true));
      await shell.page.getByRole('button', { name: 'Open Trace File' }).click();
      await shell.page.getByRole('button', { name: /^Pin:/ }).click();
      expect(await messagesOf('openTrace')).toHaveLength(1);
      expect(await messagesOf('pin')).toEqual([{ type: 'pin', pinned: true }]);
      await shell.send({ type: 'pinned', pinned: true });
      expect(await shell.page.getByRole('button', { name: 'Unpin' }).isVisible()).toBe(true);
    }));
});

describe('a run in another process', () => {
  it('says so, and cannot be stopped here', () =>
    panel({}, [show({ ...running, elsewhere: true })], async () => {
      await expect.poll(() => shell.page.locator('.doing-text').textContent()).toBe('running in another process');
      expect(await shell.page.getByRole('button', { name: 'Stop Run' }).count()).toBe(0);
      await shell.send(show({ ...running, elsewhere: false }));
      await shell.page.getByRole('button', { name: 'Stop Run' }).waitFor();
    }));
});

describe('a run that waits for an external agent', () => {
  const outside = () => shell.page.getByRole('group', { name: 'External agent' });

  it('shows where the agent connects, and copies what it needs', () =>
    panel({}, [show(waiting)], async () => {
      expect(await outside().textContent()).toContain('Connect an agent to this MCP server');
      expect(await outside().locator('code').textContent()).toBe(waiting.waitingAt);
      for (const name of ['Copy Configuration', 'Copy Address', 'Copy Token']) {
        await outside().getByRole('button', { name }).click();
      }
      expect(await messagesOf('copyForAgent')).toEqual(
        ['configuration', 'address', 'token'].map((what) => ({ type: 'copyForAgent', what })),
      );
    }));

  it('shows it only while it waits', () =>
    panel({}, [show(waiting), show({ ...waiting, waitingAt: null })], async () => {
      await expect.poll(() => outside().isVisible()).toBe(false);
    }));
});

describe('a manual run', () => {
  it.each([420, 760, 1300])('a click in a panel of %d pixels maps to the exact pixel of the page', (width) =>
    acting({ width }, async () => {
      const points = [
        [0, 0],
        [403, 211],
        [1279, 799],
      ] as const;
      for (const [x, y] of points) await shell.page.mouse.click(...(await at(x, y)));
      await expect.poll(hand).toHaveLength(3);
      // No pixel of the panel shows less than one of the page when it is narrower than it.
      for (const [index, input] of (await hand()).entries()) {
        const [x, y] = points[index] ?? [0, 0];
        expect(input).toEqual({ kind: 'click', point: { x, y }, button: 'left', count: 1, hold: [] });
      }
    }),
  );

  it('double clicks, right clicks, drags, and turns the wheel where the keys are', () =>
    acting({}, async () => {
      const { mouse } = shell.page;
      await mouse.move(...(await at(600, 400)));
      await mouse.wheel(0, 100);
      await mouse.dblclick(...(await at(600, 400)));
      await mouse.click(...(await at(600, 400)), { button: 'right' });
      await mouse.wheel(0, 100);
      await mouse.down();
      await mouse.move(...(await at(700, 500)), { steps: 3 });
      await mouse.up();
      const said = await hand();
      expect(said.map(({ kind }) => kind)).toEqual(['click', 'click', 'scroll', 'drag']);
      expect(said[0]).toMatchObject({ count: 2 });
      expect(said[1]).toMatchObject({ button: 'right' });
      expect(said[2]).toMatchObject({ x: 0, y: 100, point: { x: 600, y: 400 } });
      expect(said[3]).toMatchObject({
        path: expect.arrayContaining([
          { x: 600, y: 400 },
          { x: 700, y: 500 },
        ]),
      });
    }));

  it('sends keys to the page only while it captures the keyboard, which is shown and ended by a key', () =>
    acting({}, async () => {
      const { keyboard } = shell.page;
      await layer().focus();
      await keyboard.press('Tab');
      expect(await hand()).toEqual([]);
      await layer().focus();
      await keyboard.press('Enter');
      await shell.drawn();
      expect(await bar().textContent()).toContain('Keyboard goes to the pageShift+Esc releases it');
      expect(await bar().getAttribute('class')).toContain('is-capturing');
      for (const key of ['Tab', 'Escape', 'F5', 'ArrowLeft', 'Control+Shift+p', 'Shift+Tab']) await keyboard.press(key);
      await keyboard.type('Añ');
      await keyboard.insertText('日本');
      await keyboard.press('Shift+Escape');
      await shell.drawn();
      expect(await bar().getAttribute('class')).not.toContain('is-capturing');
      expect(await layer().evaluate((element) => element === document.activeElement)).toBe(true);
      await keyboard.press('ArrowLeft');
      expect(await hand()).toEqual([
        ...[['Tab'], ['Escape'], ['F5'], ['ArrowLeft'], ['ControlOrMeta', 'Shift', 'p'], ['Shift', 'Tab']].map(
          (keys) => ({
            kind: 'key',
            keys,
          }),
        ),
        ...['A', 'ñ', '日本'].map((text) => ({ kind: 'text', text })),
      ]);
      // Outside of it the arrow walks through the steps again.
      expect((await shell.messages()).some(({ type }) => type === 'selected')).toBe(true);
    }));

  it.each([500, 760])('shows the key that releases the keyboard in full in a panel of %d pixels', (width) =>
    acting({ width }, async () => {
      await layer().focus();
      await shell.page.keyboard.press('Enter');
      await shell.send({ type: 'typing', text: 'a text that is much too long for the bar' });
      await shell.drawn();
      const hint = bar().getByText('Shift+Esc releases it');
      expect(await hint.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true);
      const [inner, outer] = [await hint.boundingBox(), await bar().boundingBox()];
      expect(inner?.height).toBeLessThan(outer?.height ?? 0);
    }),
  );

  it('pastes what the user has copied', () =>
    acting({}, async () => {
      await shell.page.mouse.click(...(await at(10, 10)));
      await shell.page.evaluate(() => {
        const given = new DataTransfer();
        given.setData('text/plain', 'copied');
        document.activeElement?.dispatchEvent(new ClipboardEvent('paste', { clipboardData: given, bubbles: true }));
        document.execCommand('insertText', false, 'copied');
      });
      await expect.poll(hand).toMatchObject([{ kind: 'click' }, { kind: 'text', text: 'copied' }]);
    }));

  it('does not move the screenshot when the text of the bar changes', () =>
    acting({}, async () => {
      const before = await layer().boundingBox();
      const long = 'a rather long text that somebody types into a field of the page, and on, and on';
      await shell.page.mouse.click(...(await at(10, 10)));
      await shell.send({ type: 'typing', text: long }, { type: 'doing', text: `keyboard_type('${long}')` });
      expect(await layer().boundingBox()).toEqual(before);
    }));

  it('answers, writes actions, ends, and is saved', () =>
    acting({}, async () => {
      for (const name of ['Answer…', 'Action…', 'Finish']) await bar().getByText(name).click();
      const ended: HostMessage = {
        type: 'ended',
        run: { ...finished, runId: manual.runId, manual: true },
        select: null,
      };
      await shell.send(ended);
      await bar().getByText('Save as Solution').click();
      expect(await layer().isVisible()).toBe(false);
      const said = (await shell.messages()).map(({ type }) => type);
      expect(said.filter((type) => ['answer', 'act', 'done', 'saveSolution'].includes(type))).toEqual([
        'answer',
        'act',
        'done',
        'saveSolution',
      ]);
    }));

  it('ignores input while a debugger has stopped the run', () =>
    acting({}, async () => {
      await shell.send({ type: 'run', run: { ...manual, status: 'paused' }, select: null, live: true });
      expect(await bar().innerText()).toContain('Paused');
      expect(await bar().getByText('Finish').isVisible()).toBe(false);
      expect(await layer().isVisible()).toBe(false);
      await shell.send({ type: 'run', run: manual, select: null, live: true });
      await layer().waitFor();
      expect(await bar().getByText('Finish').isVisible()).toBe(true);
    }));

  it('is hidden in a run of another agent', () =>
    acting({}, async () => {
      await shell.send({ type: 'run', run: { ...manual, runId: 'other', manual: false }, select: null, live: true });
      await shell.sendFrame(pictures[0]?.jpeg ?? Buffer.alloc(0));
      expect(await bar().isVisible()).toBe(false);
      expect(await layer().isVisible()).toBe(false);
    }));

  it.each(Object.keys(themes) as ThemeName[])('is photographed in the %s theme', (theme) =>
    acting({ theme }, async () => {
      await shell.page.mouse.click(...(await at(640, 300)));
      await shell.send({ type: 'typing', text: 'WINTER10' });
      await shell.page.screenshot({ path: join(root, 'out', 'screenshots', `panel-by-hand-${theme}.png`) });
    }),
  );
});
