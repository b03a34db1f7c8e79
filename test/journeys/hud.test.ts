import { existsSync } from 'node:fs';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { locateBrowser } from '../../src/environments/browser/launch/locate.ts';
import { findProgram } from '../../src/processes/programs.ts';
import { itLong } from '../sample.ts';
import { root } from '../system/programs.ts';
import { hudEnvironment } from '../system/python.ts';
import { OTHER_THEMES, type Theme } from './themes.ts';
import { Workbench } from './workbench.ts';

const ENVIRONMENT = `from hud import Environment

env = Environment(name="letters")


@env.template(description="Counts a letter.")
async def count(word: str, letter: str = "r"):
    answer = yield f"How many {letter} are in {word}?"
    found = word.count(letter)
    yield 1.0 if answer == str(found) else 0.0
`;

const task = (argument: string) => `{
  "env": "letters",
  "id": "count",
  "args": { "${argument}": "raspberry" },
  "slug": "raspberry"
}
`;

const inPython = (argument: string) => `from env import count

raspberry = count(${argument}="raspberry")
raspberry.slug = "in-python"
`;

/** A page that is a single button. */
const PAGE = `<!doctype html>
<title>Shop</title>
<style>
  button { position: fixed; inset: 16px; font: 32px sans-serif; }
</style>
<button onclick="document.title = 'Ordered: tea'; this.textContent = 'Order 7'">Order tea</button>
`;
const ORDER = { env: 'pages', id: 'order', slug: 'order' };

const venv = await hudEnvironment();
const ssh = await findProgram('ssh');
if (ssh === null) console.warn('Shells of HUD environments are not tested: ssh is missing');
/** The environment is started by a virtual environment that the machine reads for the first time. */
const START = 120_000;

describe.skipIf(venv === null)('an environment of HUD 0.6', () => {
  let workbench: Workbench;

  beforeAll(async () => {
    const located = await locateBrowser({ version: false });
    workbench = await Workbench.open({
      files: {
        'pages/env.py': await readFile(join(root, 'test', 'fixtures', 'hud', 'pages', 'env.py'), 'utf8'),
        'pages/page.html': PAGE,
        'pages/browser.txt': 'found' in located ? located.found.path : '',
        'pages/order.task.json': JSON.stringify(ORDER),
        'letters/env.py': ENVIRONMENT,
        'letters/raspberry.task.json': task('wrd'),
        'letters/raspberry.actions': 'response("3")\n',
        'letters/tasks.py': inPython('word'),
        'letters/in-python.actions': 'response("3")\n',
      },
    });
    for (const folder of ['letters', 'pages']) await symlink(venv ?? '', join(workbench.folder, folder, '.venv'));
  });
  afterAll(() => workbench?.[Symbol.asyncDispose]());

  it('says which arguments its template takes', async () => {
    await workbench.openFile('letters/raspberry.task.json');
    await workbench.lens('Run').first().waitFor();
    // An argument that is not there, and one that is missing.
    await expect.poll(() => workbench.problems(), { timeout: START }).toEqual({ errors: 2, warnings: 0 });
    await workbench.screenshotInThemes('hud-arguments');
    await writeFile(join(workbench.folder, 'letters', 'raspberry.task.json'), task('word'));
    await expect.poll(() => workbench.problems(), { timeout: START }).toEqual({ errors: 0, warnings: 0 });
  });

  it('runs a task', async () => {
    await workbench.lens('Run').first().click();
    await expect.poll(() => workbench.verdict(), { timeout: START }).toBe('1.00');
  });

  itLong('runs a task of a Python file that imports the template', async () => {
    await workbench.openFile('letters/tasks.py');
    await workbench.lens('Run').first().waitFor();
    await writeFile(join(workbench.folder, 'letters', 'tasks.py'), inPython('wrd'));
    await expect.poll(() => workbench.problems(), { timeout: START }).toEqual({ errors: 2, warnings: 0 });
    await workbench.screenshot('hud-arguments-in-python');
    await writeFile(join(workbench.folder, 'letters', 'tasks.py'), inPython('word'));
    // The problems are also gone while the changed code is read, with the old text in the editor.
    await workbench.page.locator('.view-lines').getByText('count(word=').waitFor();
    await expect.poll(() => workbench.problems(), { timeout: START }).toEqual({ errors: 0, warnings: 0 });
    await workbench.lens('Run').first().click();
    await expect.poll(() => workbench.verdict(), { timeout: START }).toBe('1.00');
    // The task follows the module that it imports. The task in JSON does not, and names a template that is gone.
    await writeFile(
      join(workbench.folder, 'letters', 'env.py'),
      ENVIRONMENT.replace('template(', 'template(id="tally", '),
    );
    await expect.poll(() => workbench.problems(), { timeout: START }).toEqual({ errors: 1, warnings: 0 });
    await writeFile(join(workbench.folder, 'letters', 'env.py'), ENVIRONMENT);
    await expect.poll(() => workbench.problems(), { timeout: START }).toEqual({ errors: 0, warnings: 0 });
  });

  itLong('is debugged in its code, and before the grade', async () => {
    await workbench.openFile('letters/env.py');
    await workbench.clickText('found = word');
    await workbench.page.keyboard.press('F9');
    await workbench.openFile('letters/raspberry.task.json');
    await workbench.clickText('"letters"');
    await workbench.page.keyboard.press('F9');
    await workbench.clickText('"count"');
    await workbench.page.keyboard.press('F9');
    await workbench.debug.start(START);
    await expect.poll(() => workbench.debug.stackText()).toContain('start: count');
    await workbench.screenshot('hud-before-start');
    await workbench.page.keyboard.press('F5');
    await expect.poll(() => workbench.debug.stackText(), { timeout: START }).toContain('grade()');
    await workbench.page.keyboard.press('F5');
    await workbench.debug.waitForStop('env.py', 'env.py');
    await expect.poll(() => workbench.cursorLine()).toBe(9);
    await expect.poll(() => workbench.debug.variables()).toMatch(/word\s*[:=]\s*'raspberry'/);
    await workbench.screenshotInThemes('hud-debugged');
    await workbench.page.keyboard.press('F5');
    await expect.poll(() => workbench.verdict(), { timeout: START }).toBe('1.00');
  });

  it.each<Theme>(['dark', ...OTHER_THEMES])('is used by hand in its browser: %s theme', async (theme) => {
    await workbench.setTheme(theme);
    await workbench.openFile('pages/order.task.json');
    await workbench.lens('Run').first().click();
    const layer = workbench.panel.locator('.manual-layer');
    await layer.waitFor({ timeout: START });
    await layer.click();
    await workbench.steps.getByText('click').first().waitFor({ timeout: START });
    await workbench.screenshot(`hud-by-hand-${theme.replace(' ', '-')}`);
    await workbench.panel.locator('.manual-bar').getByText('Answer').click();
    await workbench.page.getByPlaceholder('Enter the answer of the agent').fill('7');
    await workbench.page.keyboard.press('Enter');
    await expect.poll(() => workbench.verdict(), { timeout: START }).toBe('1.00');
    await workbench.closeEditors();
  });

  it.skipIf(ssh === null)('opens its shell in a terminal', async () => {
    const { page } = workbench;
    await workbench.setTheme('dark');
    await workbench.command('Focus on Environments View');
    const environment = page.getByRole('treeitem', { name: /^environment .*, pages \(ready\)/ });
    const terminal = page.locator('.terminal-wrapper.active');
    await workbench.selectFromMenu(environment, 'Open Shell', terminal);
    await terminal.click();
    const typed = join(workbench.folder, 'typed');
    // What is typed before the shell reads may be lost.
    await expect
      .poll(
        async () => {
          await page.keyboard.type(`touch '${typed}'\n`);
          return existsSync(typed);
        },
        { timeout: START, interval: 1000 },
      )
      .toBe(true);
    await workbench.screenshotInThemes('hud-shell');
    await workbench.command('Terminal: Kill the Active Terminal Instance');
  });
});
