import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PanelRun, PanelStep } from '../../../src/presentation/runs/messages.ts';
import { messagesOf, panel, shareBrowser, shell, show } from './opened-panel.ts';
import { manual, step, steps } from './runs.ts';
import type { ThemeName } from './themes.ts';

const screenshots = join(import.meta.dirname, '..', '..', '..', 'out', 'screenshots');

shareBrowser();

function asking(dialog: NonNullable<PanelStep['dialog']>): PanelRun {
  const click = step(1, { source: 'agent', verb: 'click', object: '“Delete”', dialog });
  return { ...manual, steps: [...steps.slice(0, 1), click] };
}

const box = () => shell.page.getByRole('alertdialog', { name: 'Dialog of the page' });

describe('an open dialog of the page', () => {
  it('asks the person who acts: OK, Cancel, and the keyboard', async () => {
    const run = asking({ type: 'confirm', message: 'Delete <b>Ada</b>?' });
    await panel({}, [show(run, null, true)], async () => {
      await expect.poll(() => box().textContent()).toBe('Delete <b>Ada</b>?OKCancel');
      expect(await box().getByRole('textbox').count()).toBe(0);
      await box().getByText('OK').click();
      await box().getByText('Cancel').click();
      await box().getByText('OK').focus();
      await shell.page.keyboard.press('Enter');
      await shell.page.keyboard.press('Escape');
      expect(await messagesOf('answerDialog')).toEqual(
        [true, false, true, false].map((accept) => ({ type: 'answerDialog', accept, text: null })),
      );
      // The answer is on its way.
      await shell.send({ type: 'doing', text: 'handle_dialog(True)' });
      await expect.poll(() => box().isVisible()).toBe(false);
    });
  });

  it.each<ThemeName>(['dark', 'light', 'high contrast'])('is a field for a prompt, in %s', async (theme) => {
    await mkdir(screenshots, { recursive: true });
    const run = asking({ type: 'prompt', message: 'How many lamps?', default_value: '1' });
    await panel({ theme }, [show(run, null, true)], async () => {
      const field = box().getByRole('textbox', { name: 'How many lamps?' });
      await expect.poll(() => field.inputValue()).toBe('1');
      await shell.page.screenshot({ path: join(screenshots, `dialog-${theme.replace(' ', '-')}.png`) });
      await field.fill('three');
      await field.press('Enter');
      await box().getByText('Cancel').click();
      expect(await messagesOf('answerDialog')).toEqual([
        { type: 'answerDialog', accept: true, text: 'three' },
        { type: 'answerDialog', accept: false, text: null },
      ]);
    });
  });

  it('is a fact of the step in the run of another agent, as downloads are', async () => {
    const messages = [{ kind: 'download', text: '“report.csv” was downloaded (19 bytes)' } as const];
    const dialog = { type: 'confirm', message: 'Delete Ada?' } as const;
    const click = step(0, { source: 'agent', verb: 'click', dialog, messages });
    const run = { ...manual, manual: false, agent: 'noop', steps: [click] };
    await panel({}, [show(run, 0)], async () => {
      expect(await box().isVisible()).toBe(false);
      await expect.poll(() => shell.page.getByText('Delete Ada?').isVisible()).toBe(true);
      const facts = shell.page.getByText('“report.csv” was downloaded (19 bytes)');
      await expect.poll(() => facts.isVisible()).toBe(true);
    });
  });
});
