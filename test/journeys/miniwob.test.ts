import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { missing, pagesFolder } from '../system/environments/miniwob-pages.ts';
import { type Theme, Workbench } from './workbench.ts';

const TASK = { id: 'dialog', gym: { type: 'browsergym', benchmark: 'miniwob', task_name: 'click-dialog' } };

describe.skipIf(missing)('MiniWoB++', () => {
  it.each<Theme>(['dark', 'light', 'high contrast'])(
    'the goal is the prompt, and the page gives the reward: %s theme',
    async (theme) => {
      await using workbench = await Workbench.open({
        theme,
        // What the setting says comes first.
        env: { TASKWRIGHT_MINIWOB: theme === 'light' ? tmpdir() : pagesFolder },
        files: {
          '.vscode/settings.json': JSON.stringify(
            theme === 'light' ? { 'taskwright.miniwob.folder': pagesFolder } : {},
          ),
          'dialogs/dialog.task.json': JSON.stringify(TASK, null, 2),
          'dialogs/dialog.actions': 'click("button.ui-dialog-titlebar-close")\n',
        },
      });
      await workbench.openFile('dialog.task.json');
      await workbench.lens('Run').first().click();
      expect(await workbench.verdict()).toBe('1.00');
      await workbench.panel.getByText('Close the dialog box by clicking the "x".').first().waitFor();
      await workbench.screenshot(`miniwob-${theme.replace(' ', '-')}`);
    },
  );
});
