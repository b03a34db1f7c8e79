import { afterAll, beforeAll, expect, it } from 'vitest';
import { OTHER_THEMES, type Theme, Workbench } from './workbench.ts';

const TASK = {
  id: 'greet',
  prompt: 'Make greet.js say hello.',
  gym: { type: 'coding', files: { 'greet.js': "console.log('bye');\n" } },
  evaluate: [{ function: 'command_output_matches', args: ['node greet.js', '^hello$'] }],
};
const SOLUTION = [`run("node greet.js")`, `write_file("greet.js", "console.log('hello');\\n")`, `run("node greet.js")`];

let workbench: Workbench;

beforeAll(async () => {
  workbench = await Workbench.open({
    files: {
      'coding/greet.task.json': JSON.stringify(TASK, null, 2),
      'coding/greet.actions': `${SOLUTION.join('\n')}\n`,
    },
  });
});
afterAll(() => workbench?.[Symbol.asyncDispose]());

it.each<Theme>(['dark', ...OTHER_THEMES])(
  'Run a coding task: the terminal shows what commands say, a changed file is VS Code’s own difference: %s theme',
  async (theme) => {
    await workbench.setTheme(theme);
    await workbench.openFile('greet.task.json');
    await workbench.lens('Run').first().click();
    expect(await workbench.verdict()).toBe('1.00');
    const { panel, page } = workbench;
    await panel.getByRole('group', { name: 'Terminal' }).getByText('$ node greet.js').waitFor();
    await panel.getByText('1 changed file').waitFor();
    await panel.getByRole('button', { name: 'greet.js', exact: true }).click();
    const diff = page.locator('.monaco-diff-editor');
    await diff.locator('.editor.original').getByText("'bye'").waitFor();
    await diff.locator('.editor.modified').getByText("'hello'").waitFor();
    await workbench.screenshot(`coding-${theme.replace(' ', '-')}`);
    await workbench.closeEditors();
  },
);
