import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeLong } from '../sample.ts';
import { OTHER_THEMES } from './themes.ts';
import { Workbench } from './workbench.ts';

const GOOD = 'page_contains';
const TYPO = 'page_contain';

/** The same task in every format. */
const FILES = {
  JSON: {
    path: 'mine/thanks.task.json',
    text: `{
  "id": "thanks-json",
  "prompt": "Order a lamp.",
  "gym": "hud-browser",
  "setup": ["load_html_content", "<p>Thanks</p>"],
  "evaluate": { "function": "page_contains", "args": ["Thanks"] }
}
`,
  },
  JSONL: {
    path: 'mine/two.tasks.jsonl',
    text: `{"id": "one", "prompt": "Say yes.", "gym": "qa", "evaluate": ["response_is", "yes"]}
{"id": "two", "gym": "hud-browser", "evaluate": ["page_contains", "Thanks"], "prompt": "Order."}
`,
  },
  YAML: {
    path: 'mine/thanks.taskset.yaml',
    text: `name: Thanks # a set of one
tasks:
  - id: thanks-yaml
    prompt: Order a lamp.
    gym: hud-browser
    evaluate:
      - { function: page_contains, args: [Thanks] }
`,
  },
  Python: {
    path: 'mine/thanks.py',
    text: `from hud import Task

thanks = Task(
    id="thanks-python",
    prompt="Order a lamp.",
    gym="hud-browser",
    evaluate=("page_contains", "Thanks"),
)
`,
  },
} as const;

/** A function of the user with a mistake, which its types show. */
const WRONG = `import { defineFunction, z } from 'taskwright';
export const wrong = defineFunction({
  args: z.tuple([z.number()]),
  async run({ page }, expected) {
    return (await page.titel()) === expected.toFixed();
  },
});
`;

const files = {
  ...Object.fromEntries(Object.values(FILES).map(({ path, text }) => [path, text])),
  'todo/wrong.functions.ts': WRONG,
};

/** Puts a word in the place of another, as a person does: a double click, then the keys. */
async function retype(workbench: Workbench, word: string, by: string): Promise<void> {
  const { page } = workbench;
  // The lines move when the links above the tasks appear.
  await workbench.lens('Run').first().waitFor();
  await page.locator('.view-lines').getByText(word, { exact: false }).first().dblclick();
  await page.keyboard.type(by);
  await page.keyboard.press('Escape');
}

let workbench: Workbench;
beforeAll(async () => {
  workbench = await Workbench.open({ files });
});
afterAll(() => workbench?.[Symbol.asyncDispose]());

function steps(format: keyof typeof FILES): void {
  const { path, text } = FILES[format];

  it('write page_contain: a squiggle under that word', async () => {
    await workbench.openFile(path);
    await expect.poll(() => workbench.problems()).toEqual({ errors: 0, warnings: 0 });
    await retype(workbench, GOOD, TYPO);
    await expect.poll(() => workbench.problems()).toEqual({ errors: 1, warnings: 0 });
    await expect.poll(() => workbench.underlined()).toMatch(/^(["']?)page_contain\1$/);
    await workbench.screenshot(`typo-${format.toLowerCase()}`);
  });

  it('Run refuses with the same words', async () => {
    const said = `Unknown function “${TYPO}”. Did you mean “${GOOD}”?`;
    await workbench.command('Problems: Focus on Problems View');
    await expect.poll(() => workbench.page.locator('.markers-panel').innerText()).toContain(said);
    await workbench.openFile(path);
    await workbench.lens('Run').last().click();
    await expect
      .poll(() => workbench.page.locator('.notification-toast').allInnerTexts())
      .toContainEqual(expect.stringContaining(said));
    await workbench.command('Notifications: Clear All Notifications');
  });

  it('a lamp mends it, and nothing else of the file', async () => {
    await workbench.clickText(TYPO);
    await workbench.page.keyboard.press('Control+.');
    const menu = workbench.page.locator('.action-widget');
    await menu.getByText(`Change to “${GOOD}”`).first().click();
    await expect.poll(() => workbench.problems()).toEqual({ errors: 0, warnings: 0 });
    await expect.poll(() => workbench.underlined()).toBe('');
    await workbench.page.keyboard.press('Control+S');
    await expect.poll(() => readFile(join(workbench.folder, path), 'utf8')).toBe(text);
  });
}

describe.each(['JSON', 'Python'] as const)('A typo: in %s', steps);
describeLong.each(['JSONL', 'YAML'] as const)('A typo, in each other format: in %s', steps);

it.each(OTHER_THEMES)('A typo: in the %s theme', async (theme) => {
  await workbench.setTheme(theme);
  await workbench.openFile(FILES.JSON.path);
  await retype(workbench, GOOD, TYPO);
  await expect.poll(() => workbench.underlined()).toContain(TYPO);
  await workbench.page.locator('.view-lines').getByText(TYPO).first().hover();
  await workbench.page.locator('.monaco-hover').getByText('Unknown function').first().waitFor();
  await workbench.screenshot(`typo-${theme.replace(' ', '-')}`);
  await retype(workbench, TYPO, GOOD);
  await expect.poll(() => workbench.problems()).toEqual({ errors: 0, warnings: 0 });
});

it('A typo in a function of the user: the editor knows its types with nothing installed beside it', async () => {
  await workbench.closeEditors();
  await workbench.openFile('todo/wrong.functions.ts');
  // One mistake and no other: the import is found, `page` is a page, `expected` a number.
  await expect.poll(() => workbench.problems()).toEqual({ errors: 1, warnings: 0 });
  await workbench.command('Problems: Focus on Problems View');
  await workbench.page.getByText("Property 'titel' does not exist on type 'Page'").first().waitFor();
});
