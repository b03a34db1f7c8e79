import { tmpdir } from 'node:os';
import { afterAll, expect, it } from 'vitest';
import { describeLong } from '../sample.ts';
import { missing, pagesFolder } from '../system/environments/miniwob-pages.ts';
import { OTHER_THEMES, type Theme } from './themes.ts';
import { Workbench } from './workbench.ts';

const TASK = { id: 'dialog', gym: { type: 'browsergym', benchmark: 'miniwob', task_name: 'click-dialog' } };

describeLong('MiniWoB++', { skip: missing !== null }, () => {
  /** By whether the setting says where the pages are, and not the environment. */
  const windows = new Map<boolean, Workbench>();
  afterAll(async () => {
    for (const window of windows.values()) await window[Symbol.asyncDispose]();
  });

  async function windowOf(bySetting: boolean): Promise<Workbench> {
    const window =
      windows.get(bySetting) ??
      (await Workbench.open({
        // What the setting says comes first.
        env: { TASKWRIGHT_MINIWOB: bySetting ? tmpdir() : pagesFolder },
        files: {
          '.vscode/settings.json': JSON.stringify(bySetting ? { 'taskwright.miniwob.folder': pagesFolder } : {}),
          'dialogs/dialog.task.json': JSON.stringify(TASK, null, 2),
          'dialogs/dialog.actions': 'click("button.ui-dialog-titlebar-close")\n',
        },
      }));
    windows.set(bySetting, window);
    return window;
  }

  it.each<Theme>(['dark', ...OTHER_THEMES])(
    'the goal is the prompt, and the page gives the reward: %s theme',
    async (theme) => {
      const workbench = await windowOf(theme === 'light');
      await workbench.setTheme(theme);
      await workbench.openFile('dialog.task.json');
      await workbench.lens('Run').first().click();
      expect(await workbench.verdict()).toBe('1.00');
      await workbench.panel.getByText('Close the dialog box by clicking the "x".').first().waitFor();
      await workbench.screenshot(`miniwob-${theme.replace(' ', '-')}`);
      await workbench.closeEditors();
    },
  );
});
