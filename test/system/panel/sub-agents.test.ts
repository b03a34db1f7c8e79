import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { outFolder } from '../../../scripts/places.ts';
import type { PanelRun } from '../../../src/presentation/runs/messages.ts';
import { presentSteps } from '../../../src/presentation/runs/present.ts';
import { ASKS_SUB_AGENT, linesOf } from '../../unit/formats/runs/hud/spans.ts';
import { messagesOf, panel, shareBrowser, shell, show } from './opened-panel.ts';
import { finished } from './runs.ts';
import { violationsOf } from './violations.ts';

shareBrowser();

const lines = linesOf(...ASKS_SUB_AGENT);
const run: PanelRun = {
  ...finished,
  agent: 'hud-0.6',
  prompt: 'How many r are in strawberry?',
  steps: presentSteps(lines, { address: String, lineOf: () => null, pinned: false }),
  verdict: { reward: 1, success: true, truncated: false, error: null, subscores: [] },
};

const tree = () => shell.page.getByRole('tree', { name: 'Steps' });
const rows = () => tree().locator('.row-text').allInnerTexts();
const facts = () => shell.page.getByRole('tabpanel', { name: 'Step' });

/** Sends the text that the page asked for. */
async function answerText(index: number): Promise<void> {
  await shell.heard('text');
  expect(await messagesOf('text')).toContainEqual({ type: 'text', index });
  const text = lines[index]?.observation?.text ?? null;
  await shell.send({ type: 'text', index, text, before: null, data: null, dataBefore: null });
}

describe('a run with sub-agents', () => {
  it('is a tree, in which sub-agents are closed and opened with the keyboard and the mouse', () =>
    panel({}, [show(run, 2)], async () => {
      const all = await rows();
      expect(all).toHaveLength(10);
      const levels = await tree()
        .getByRole('treeitem')
        .evaluateAll((items) => items.map((item) => item.getAttribute('aria-level')));
      expect(levels.join('')).toBe('1112222321');
      const asked = tree().getByRole('treeitem', { expanded: true }).first();
      await asked.focus();
      await shell.page.keyboard.press('ArrowLeft');
      await shell.drawn();
      expect(await rows()).toEqual([...all.slice(0, 3), ...all.slice(9)]);
      await shell.page.keyboard.press('ArrowDown');
      await shell.drawn();
      expect(await tree().getByRole('treeitem', { selected: true }).innerText()).toContain('response');
      await shell.page.keyboard.press('ArrowUp');
      await shell.page.keyboard.press('ArrowRight');
      await shell.drawn();
      expect(await rows()).toEqual(all);
      await tree().locator('.twistie .icon').nth(1).click();
      await shell.drawn();
      expect(await rows()).toEqual([...all.slice(0, 7), ...all.slice(8)]);
      // From a line to the sub-agent that it is part of.
      await tree().getByRole('treeitem').nth(5).click();
      await shell.drawn();
      await shell.page.keyboard.press('ArrowLeft');
      await shell.drawn();
      expect(await tree().getByRole('treeitem', { selected: true }).innerText()).toContain('sub-agent “three”');
    }));

  it('shows what the model said, and leads from a tool to its result', () =>
    panel({}, [show(run, 0)], async () => {
      await shell.drawn();
      const text = await facts().innerText();
      expect(text).toContain('Letters are hard for me.\nA counter is better.');
      expect(text).toContain('I ask a counter.');
      expect(text).toContain('scripted-1 1,200 tokens in · 1,000 of them cached · 80 tokens out · $0.0123');
      await facts().getByRole('button', { name: '→ counter.py' }).click();
      await answerText(1);
      expect(await facts().innerText()).toMatch(/tool\s+bash\s+result\s+counter\.py/);
    }));

  it('says nothing of a model where there was none', () => {
    const [first, ...others] = run.steps;
    if (first?.turn === undefined) throw new Error('The first step is not of a model.');
    const steps = [{ ...first, turn: { ...first.turn, model: null, usage: [] } }, ...others];
    return panel({}, [show({ ...run, steps }, 0)], async () => {
      await shell.drawn();
      expect(await facts().innerText()).toContain('I ask a counter.');
      expect(await facts().getByText('model', { exact: true }).count()).toBe(0);
    });
  });

  it.each(['dark', 'light', 'high contrast'] as const)('is accessible in %s', (theme) =>
    panel({ theme }, [show(run, 0)], async () => {
      expect(await violationsOf(shell.page)).toEqual([]);
      await mkdir(join(outFolder, 'screenshots'), { recursive: true });
      const name = `sub-agents-${theme.replaceAll(' ', '-')}.png`;
      await shell.page.screenshot({ path: join(outFolder, 'screenshots', name) });
    }),
  );
});
