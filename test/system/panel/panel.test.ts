import { describe, expect, it } from 'vitest';
import { messagesOf, panel, selectedSteps, shareBrowser, shell, show, steplist } from './opened-panel.ts';
import { broken, finished, longRun, origin, passed, running, spoken, steps, unjudged } from './runs.ts';

shareBrowser();

describe('the verdict', () => {
  it('shows the reward and, for each call, value, reason, and location', () =>
    panel({}, [show(finished)], async () => {
      await expect.poll(() => shell.page.locator('.verdict-badge').textContent()).toContain('0.67');
      expect(await shell.page.locator('.verdict-badge').getAttribute('title')).toBe('Reward 0.67: partly passed');
      const rows = shell.page.getByRole('list', { name: 'Evaluate calls' }).getByRole('listitem');
      expect(await rows.count()).toBe(3);
      expect(await rows.nth(0).textContent()).toContain('failed: page_contains("Order placed")not on the page');
      expect(await rows.nth(1).textContent()).toContain(
        'passed: url_contains("/cart")the page is /cart?voucher=WINTER10',
      );
      // What failed is not cut off.
      const reason = rows.nth(0).locator('.verdict-reason');
      expect(await reason.evaluate((node) => node.scrollWidth <= node.clientWidth)).toBe(true);
      await rows.nth(0).getByRole('button', { name: 'line 22' }).click();
      expect(await messagesOf('reveal')).toEqual([{ type: 'reveal', index: 10 }]);
      await rows.nth(2).getByRole('button', { name: 'cart_total(70.2)' }).click();
      expect(await messagesOf('selected')).toEqual([{ type: 'selected', index: 9 }]);
    }));

  it.each([
    [699, true],
    [500, true],
    [380, true],
    [760, false],
  ])('at a width of %d px, a failed call has its whole reason on separate lines: %s', (width, below) =>
    panel({ width, height: 720 }, [show(finished)], async () => {
      const failed = shell.page.locator('.verdict-row.is-fail');
      const box = async (part: string) => await failed.locator(part).boundingBox();
      const [call, reason, line] = [
        await box('.verdict-call'),
        await box('.verdict-reason'),
        await box('.verdict-line'),
      ];
      if (call === null || reason === null || line === null) throw new Error('a part has no box');
      expect(reason.y > call.y + call.height / 2).toBe(below);
      expect(line.y).toBeLessThan(call.y + call.height);
      const sign = await box('.verdict-sign');
      expect(call.x - (sign?.x ?? 0) - (sign?.width ?? 0)).toBeGreaterThanOrEqual(6);
      if (below) expect(reason.width).toBeGreaterThan(width - 60);
      const whole = await failed
        .locator('.verdict-reason')
        .evaluate((node) => node.scrollWidth <= node.clientWidth && node.scrollHeight <= node.clientHeight);
      expect(whole).toBe(true);
    }),
  );

  it('shows a full reward as passed', () =>
    panel({}, [show(passed)], async () => {
      expect(await shell.page.locator('.verdict-badge').getAttribute('title')).toBe('Reward 1.00: passed');
    }));

  it('explains why and where a run ended with an error', () =>
    panel({}, [show(broken)], async () => {
      // Once, at the call.
      expect(await shell.page.locator('.note').count()).toBe(0);
      const rows = shell.page.getByRole('list', { name: 'Evaluate calls' }).getByRole('listitem');
      expect(await rows.nth(0).textContent()).toContain('The evaluate call cart_total(70.2) threw: TypeError');
      await rows.nth(0).getByRole('button', { name: 'line 21' }).click();
      expect(await messagesOf('reveal')).toEqual([{ type: 'reveal', index: 9 }]);
      await rows.nth(0).getByRole('button', { name: 'cart.functions.ts:12:31' }).click();
      expect(await messagesOf('openFile')).toEqual([{ type: 'openFile', path: 'cart.functions.ts', line: 12 }]);
      expect(await shell.page.locator('.verdict-badge').textContent()).toContain('error');
      expect(await rows.nth(1).textContent()).toContain('not graded: page_contains("Order placed")not reached');
    }));

  it('warns if nothing was evaluated', () =>
    panel({}, [show(unjudged)], async () => {
      expect(await shell.page.locator('.note').textContent()).toContain('no evaluate calls');
      expect(await shell.page.locator('.verdict-badge').textContent()).toContain('no reward');
    }));
});

it('says how many attempts a run needed, and why', () =>
  panel({}, [show(running)], async () => {
    const chip = shell.page.locator('.chip', { hasText: 'attempt' });
    await expect.poll(() => shell.page.locator('.verdict-badge').textContent()).toContain('running');
    expect(await chip.isVisible()).toBe(false);
    await shell.send(show({ ...running, retried: ['the browser crashed', 'the session ended'] }));
    await expect.poll(() => chip.isVisible()).toBe(true);
    expect(await chip.textContent()).toBe('attempt 3');
    expect(await chip.getAttribute('title')).toBe('Retried after: the browser crashed\nthe session ended');
  }));

it.each([380, 446, 600])('cuts off no fact about a run at a width of %d px', (width) =>
  panel({ width, height: 720 }, [show({ ...running, retried: ['the browser crashed'] })], async () => {
    const chips = shell.page.locator('.chip:visible');
    await expect.poll(() => chips.allTextContents()).toContain('attempt 2');
    expect(await chips.evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).length)).toBe(0);
  }),
);

describe('navigating the steps', () => {
  it('works with the arrow keys, Home, and End, and notifies the extension', () =>
    panel({}, [show(finished, 5)], async () => {
      await steplist().getByRole('option', { selected: true }).focus();
      await shell.page.keyboard.press('ArrowDown');
      await shell.page.keyboard.press('ArrowDown');
      await shell.page.keyboard.press('ArrowUp');
      await shell.page.keyboard.press('ArrowRight');
      await shell.page.keyboard.press('Home');
      await shell.page.keyboard.press('End');
      await shell.drawn();
      expect((await messagesOf('selected')).map((message) => 'index' in message && message.index)).toEqual([
        6, 7, 6, 7, 0, 10,
      ]);
      expect(await selectedSteps()).toEqual([expect.stringContaining('page_contains')]);
      expect(await shell.page.evaluate(() => document.activeElement?.getAttribute('data-index'))).toBe('10');
      await shell.page.keyboard.press('Enter');
      expect(await messagesOf('reveal')).toEqual([{ type: 'reveal', index: 10 }]);
    }));

  it('reports a screenshot that is too large instead of a broken image', () => {
    const steps = finished.steps.map((step) => ({ ...step, screenshot: 'data:,too-large' }));
    return panel({}, [show({ ...finished, steps }, 1)], async () => {
      await expect
        .poll(() => shell.page.locator('.shot:visible .shot-missing').last().textContent())
        .toBe('This screenshot is too large to show.');
      expect(await shell.page.locator('.thumb').count()).toBeGreaterThan(1);
      await expect.poll(() => shell.page.locator('.thumb img:visible').count()).toBe(0);
    });
  });

  it('works with the left and right arrow keys, except in tabs', () =>
    panel({}, [show(finished, 5)], async () => {
      await shell.page.locator('body').press('ArrowLeft');
      await shell.drawn();
      expect(await shell.page.locator('.place').textContent()).toBe('step 3 of 6');
      await shell.page.getByRole('button', { name: 'Next step' }).click();
      await shell.drawn();
      expect(await shell.page.locator('.place').textContent()).toBe('step 4 of 6');
      await shell.page.getByRole('tab', { name: 'Step', exact: true }).press('ArrowRight');
      await shell.drawn();
      expect(await shell.page.getByRole('tab', { name: 'Observation' }).getAttribute('aria-selected')).toBe('true');
      expect(await shell.page.locator('.place').textContent()).toBe('step 4 of 6');
    }));

  it('shows what the extension selects without notifying it', () =>
    panel({}, [show(finished, 5), { type: 'select', index: 8 }], async () => {
      expect(await selectedSteps()).toEqual([expect.stringContaining('url_contains')]);
      expect(await messagesOf('selected')).toEqual([]);
    }));

  it('updates screenshot, overlay, timeline, and details', () =>
    panel({}, [show(finished, 5)], async () => {
      const image = shell.page.locator('.shot:not([hidden]) img');
      expect(await image.getAttribute('src')).toBe(`${origin}/screens/4.png`);
      expect(await image.getAttribute('alt')).toBe('Screenshot after step 4, click “Apply”');
      await expect
        .poll(() => shell.page.locator('.shot:not([hidden]) .overlay-text').textContent())
        .toBe("click('#apply')");
      expect(await shell.page.locator('.shot:not([hidden]) .overlay-ring').count()).toBe(1);
      expect(await shell.page.locator('.shot:not([hidden]) .overlay-box').count()).toBe(1);
      expect(await shell.page.locator('.thumb[aria-selected=true]').textContent()).toBe('4');
      expect(await shell.page.getByRole('tabpanel', { name: 'Step' }).textContent()).toContain(
        'action 12 · settle 21 · picture 13',
      );
      await shell.page.getByRole('tab', { name: 'Before' }).click();
      await shell.drawn();
      expect(await image.getAttribute('src')).toBe(`${origin}/screens/3.png`);
      await shell.page.getByRole('tab', { name: 'Both' }).click();
      await shell.drawn();
      expect(await image.count()).toBe(2);
    }));

  it('shows evaluate calls as ticks next to the thumbnails of the steps', () =>
    panel({}, [show(finished, 10)], async () => {
      const strip = shell.page.getByRole('listbox', { name: 'Timeline' });
      expect(await strip.locator('.thumb').count()).toBe(8);
      expect(await strip.locator('.tick').count()).toBe(3);
      await strip.getByRole('option', { selected: true }).focus();
      expect(await strip.getByRole('option', { selected: true }).getAttribute('aria-label')).toMatch(
        /^evaluate call 3, page_contains .*, failed$/,
      );
      await shell.page.keyboard.press('Home');
      await shell.page.keyboard.press('End');
      await strip.getByRole('option', { name: 'evaluate call 1' }).click();
      expect((await messagesOf('selected')).map((message) => 'index' in message && message.index)).toEqual([0, 10, 8]);
      await shell.drawn();
      expect(await shell.page.locator('.place').textContent()).toBe('evaluate call 1 of 3');
    }));

  it.each([
    // Half of the editors in a window of 1280 × 800.
    [460, 698],
    [500, 720],
    [960, 720],
  ])('keeps steps and details in view at %d × %d with the reward at each step', (width, height) =>
    panel({ width, height }, [show(finished)], async () => {
      const { runId } = finished;
      const points = finished.steps.slice(0, 8).map(({ index }) => ({ index, reward: 0.5, values: [0.5] }));
      await shell.send({ type: 'curve', runId, curve: { calls: [{ text: 'a()' }], points, problem: null } });
      for (const part of ['.steps', '.details-panel']) {
        const box = await shell.page.locator(part).boundingBox();
        expect(box?.height).toBeGreaterThanOrEqual(180);
        expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(height);
      }
    }),
  );

  it('keeps the label of an action whole inside the picture', () =>
    panel(
      {},
      [
        show(
          {
            ...finished,
            steps: steps.map((one) => ({
              ...one,
              acted: [{ action: `click('${'#long '.repeat(60)}')`, point: { x: 1275, y: 795 } }],
            })),
          },
          5,
        ),
      ],
      async () => {
        const label = shell.page.locator('.shot:not([hidden]) .overlay-ground');
        await expect.poll(() => label.count()).toBe(1);
        await expect.poll(() => shell.page.locator('.shot:not([hidden]) .overlay-text').textContent()).toContain('…');
        const inside = await label.boundingBox();
        const outside = await shell.page.locator('.shot:not([hidden])').boundingBox();
        if (!inside || !outside) throw new Error('label or picture has no box');
        expect(inside.x).toBeGreaterThanOrEqual(outside.x);
        expect(inside.y).toBeGreaterThanOrEqual(outside.y);
        expect(inside.x + inside.width).toBeLessThanOrEqual(outside.x + outside.width);
        expect(inside.y + inside.height).toBeLessThanOrEqual(outside.y + outside.height);
      },
    ));
});

describe('details', () => {
  it('mark changes of the observation since the previous step', () =>
    panel({}, [show(finished, 5)], async () => {
      await shell.heard('text');
      expect(await messagesOf('text')).toEqual([{ type: 'text', index: 5 }]);
      await shell.answerTexts();
      const facts = shell.page.getByRole('tabpanel', { name: 'Step' });
      expect(await facts.textContent()).toContain('new text “Voucher applied: −10 %”');
      await shell.page.getByRole('tab', { name: 'Observation' }).click();
      await shell.drawn();
      const lines = (kind: string) => shell.page.locator(`.observation .is-${kind} .mark`).allTextContents();
      expect(await lines('added')).toEqual(["[33] StaticText 'Voucher applied: −10 %'"]);
      expect(await lines('removed')).toEqual(["[38] StaticText 'Voucher not applied yet'"]);
      expect(await lines('changed')).toEqual(["[31] button 'Apply', focused", "[41] StaticText '70.20'"]);
    }));

  it('show the messages of the page, and the other steps with messages', () =>
    panel({}, [show(finished, 3)], async () => {
      await shell.page.getByRole('tab', { name: /^Console\s+2 messages$/ }).click();
      await shell.drawn();
      expect(await shell.page.locator('.message').allTextContents()).toEqual([
        'warningVoucher codes are case sensitivecart.html:41',
        'requestGET /recommendations failed: 404cart.html',
      ]);
      await shell.page.getByRole('button', { name: 'step 4' }).click();
      expect(await messagesOf('selected')).toEqual([{ type: 'selected', index: 5 }]);
    }));

  it('show the step as recorded', () =>
    panel({}, [show(finished, 3)], async () => {
      await shell.page.getByRole('tab', { name: 'Raw' }).click();
      await shell.heard('raw');
      await shell.send({ type: 'raw', index: 3, json: { index: 3, source: 'agent' } });
      expect(JSON.parse((await shell.page.locator('.raw').textContent()) ?? '')).toEqual({ index: 3, source: 'agent' });
    }));

  it('never interpret text of pages or users as HTML', () =>
    panel(
      {},
      [
        show(
          {
            ...finished,
            task: '<img src=x onerror=alert(1)>',
            steps: steps.map((one) => ({ ...one, object: '<b>bold</b>' })),
          },
          5,
        ),
      ],
      async () => {
        expect(await shell.page.getByRole('heading').textContent()).toBe('<img src=x onerror=alert(1)>');
        expect(await shell.page.locator('b').count()).toBe(0);
      },
    ));
});

describe('all kinds of runs', () => {
  it('shows no screenshot area for a run without screenshots', () =>
    panel({}, [show(spoken)], async () => {
      expect(await shell.page.getByRole('region', { name: 'Screenshot' }).isVisible()).toBe(false);
      expect(await shell.page.getByRole('listbox', { name: 'Timeline' }).isVisible()).toBe(false);
    }));

  it('reports that there is no run yet, and why a run cannot be shown', () =>
    panel({}, [], async () => {
      expect(await shell.page.locator('.empty-state').textContent()).toContain('Select Run above a task');
      await shell.send({ type: 'failed', message: 'The trace was deleted. Run the task again.' });
      expect(await shell.page.locator('.empty-state').textContent()).toContain(
        'The trace was deleted. Run the task again.',
      );
    }));

  it('renders few nodes for 5000 steps, and scrolls to the last one immediately', () =>
    panel({}, [show(longRun(5000), 0)], async () => {
      expect(await shell.page.locator('.row').count()).toBeLessThan(80);
      expect(await shell.page.locator('.thumb').count()).toBeLessThan(40);
      await steplist().getByRole('option', { selected: true }).focus();
      await shell.page.keyboard.press('End');
      await shell.drawn();
      expect(await selectedSteps()).toEqual([expect.stringContaining('Item 5000')]);
      expect(await steplist().getByRole('option', { selected: true }).getAttribute('aria-posinset')).toBe('5000');
      expect(await shell.page.locator('.row').count()).toBeLessThan(80);
      expect(await shell.page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(1000);
    }));

  it('keeps the focus on the selected step when it is scrolled out of view', () =>
    panel({}, [show(longRun(5000), 0)], async () => {
      await steplist().getByRole('option', { selected: true }).focus();
      await steplist().evaluate((list) => list.scrollTo({ top: 50_000 }));
      await shell.drawn();
      await shell.page.keyboard.press('ArrowDown');
      await shell.drawn();
      expect(await selectedSteps()).toEqual([expect.stringContaining('Item 2')]);
    }));
});

describe('a reload of the window', () => {
  it('restores the step, the tab, and the screenshot of the same run', async () => {
    let kept: unknown;
    await panel({}, [show(finished, null)], async () => {
      await steplist().getByRole('option', { name: 'WINTER10' }).click();
      await shell.page.getByRole('tab', { name: 'Console' }).click();
      await shell.page.getByRole('tab', { name: 'Both' }).click();
      await shell.drawn();
      kept = await shell.kept();
      expect(kept).toEqual({ traceDir: finished.traceDir, select: 4, tab: 'console', picture: 'both' });
    });
    await panel({ state: kept }, [show(finished, null)], async () => {
      expect(await selectedSteps()).toEqual([expect.stringContaining('WINTER10')]);
      expect(await shell.page.getByRole('tab', { name: 'Console' }).getAttribute('aria-selected')).toBe('true');
      expect(await shell.page.getByRole('tab', { name: 'Both' }).getAttribute('aria-selected')).toBe('true');
    });
  });

  it('discards them for another run, and ignores an invalid state', async () => {
    const kept = { traceDir: '/elsewhere', select: 4, tab: 'console', picture: 'both' };
    await panel({ state: kept }, [show(finished, null)], async () => {
      expect(await shell.page.getByRole('tab', { name: 'Step', exact: true }).getAttribute('aria-selected')).toBe(
        'true',
      );
    });
    await panel({ state: { traceDir: 7 } }, [show(finished, null)], async () => {
      expect(await selectedSteps()).toHaveLength(1);
    });
  });
});
