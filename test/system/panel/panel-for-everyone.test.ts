import { describe, expect, it } from 'vitest';
import { panel, pictures, shareBrowser, shell, show, steplist } from './opened-panel.ts';
import { broken, finished, manual, running, waiting } from './runs.ts';
import { type ThemeName, themes } from './themes.ts';
import { violationsOf } from './violations.ts';

shareBrowser();

describe('the panel, for everyone', () => {
  for (const theme of Object.keys(themes) as ThemeName[]) {
    it(`has names, roles and contrast in the ${theme} theme`, () =>
      panel({ theme }, [show(finished, 5)], async () => {
        await shell.answerTexts();
        expect(await violationsOf(shell.page)).toEqual([]);
        await shell.send(show(broken));
        expect(await violationsOf(shell.page)).toEqual([]);
        await shell.send(show(running, null, true), { type: 'phase', text: 'Agent' });
        expect(await violationsOf(shell.page)).toEqual([]);
        await shell.send(show(waiting, null, true));
        expect(await violationsOf(shell.page)).toEqual([]);
        await shell.send(show(manual, null, true));
        await shell.sendFrame(pictures[0]?.jpeg ?? Buffer.alloc(0));
        await shell.page.locator('.manual-layer').focus();
        expect(await violationsOf(shell.page)).toEqual([]);
        await shell.page.keyboard.press('Enter');
        await shell.drawn();
        expect(await violationsOf(shell.page)).toEqual([]);
      }));
  }

  it('reaches every control with the Tab key, each list and row of tabs once', () =>
    panel({}, [show(finished, 5)], async () => {
      const stops: string[] = [];
      for (let press = 0; press < 24; press++) {
        await shell.page.keyboard.press('Tab');
        stops.push(
          await shell.page.evaluate(() => {
            const node = document.activeElement;
            return node?.getAttribute('role') ?? node?.tagName.toLowerCase() ?? '';
          }),
        );
        if (stops.at(-1) === 'body') break;
      }
      const counted = (role: string) => stops.filter((stop) => stop === role).length;
      expect(counted('vscode-button')).toBe(6);
      expect(counted('tab')).toBe(2);
      expect(counted('option')).toBe(2);
      expect(counted('button')).toBe(7);
    }));

  for (const width of [260, 320, 480, 1700]) {
    it(`cuts nothing off at a width of ${width} pixels`, () =>
      panel({ width }, [show(finished, 5)], async () => {
        await shell.answerTexts();
        const wide = await shell.page.evaluate(() => document.documentElement.scrollWidth);
        expect(wide).toBeLessThanOrEqual(width);
        const boxes = await shell.page.evaluate(() =>
          [...document.querySelectorAll('vscode-button, .tab, .link, .chip')]
            .map((node) => node.getBoundingClientRect())
            .filter((box) => box.width > 0 && (box.left < 0 || box.right > window.innerWidth)),
        );
        expect(boxes).toEqual([]);
        await shell.send(show(waiting, null, true));
        expect(await shell.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      }));
  }

  it('puts the details under the steps in a narrow column and wraps the reasons', () =>
    panel({ width: 320 }, [show(finished, 5)], async () => {
      const list = await steplist().boundingBox();
      const facts = await shell.page.getByRole('region', { name: 'Details' }).boundingBox();
      if (!list || !facts) throw new Error('list or details have no box');
      expect(facts.y).toBeGreaterThanOrEqual(list.y + list.height);
      const cut = await shell.page
        .locator('.verdict-reason')
        .evaluateAll((all) => all.some((node) => node.scrollWidth > node.clientWidth));
      expect(cut).toBe(false);
    }));
});
