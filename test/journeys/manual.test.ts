import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { itLong } from '../sample.ts';
import { OTHER_THEMES, type Theme } from './themes.ts';
import { Workbench } from './workbench.ts';

const page = `<!doctype html><html lang=en><meta charset=utf-8><title>Order</title>
<style>
  body { margin: 0; font: 18px sans-serif }
  body > * { position: absolute; left: 40px; box-sizing: border-box; margin: 0 }
  h1 { top: 20px }
  #name { top: 90px; width: 300px; height: 40px }
  #size { top: 150px; width: 300px; height: 40px }
  #note { top: 210px; width: 300px; height: 40px; background: #ffe28a; user-select: none }
  #log { top: 270px; width: 300px; height: 100px; overflow: auto; border: 1px solid #888 }
  #track { top: 390px; width: 500px; height: 40px; background: #ddd }
  #knob { position: absolute; width: 40px; height: 40px; background: #37c }
  #order { top: 450px; width: 300px; height: 40px }
  #state { top: 510px }
</style>
<h1>Order</h1>
<input id=name aria-label=Name autocomplete=off>
<select id=size aria-label=Size><option value=s>Small<option value=l>Large</select>
<p id=note>Twice for a gift</p>
<div id=log>scroll<div style="height:600px"></div>end</div>
<div id=track><div id=knob></div></div>
<button id=order>Order</button>
<p id=state></p>
<script>
  const done = new Set();
  const add = (what) => { done.add(what); state.textContent = [...done].join(', '); };
  note.ondblclick = () => add('gift');
  note.oncontextmenu = (event) => { event.preventDefault(); add('menu'); };
  log.onscroll = () => { if (log.scrollTop > 200) add('read'); };
  document.getElementById('size').onchange = (event) => add('size ' + event.target.value);
  const nameField = document.getElementById('name');
  nameField.onchange = () => add('name ' + nameField.value);
  nameField.onkeydown = (event) => { if (event.key === 'Escape') add('escaped'); };
  let from = null;
  knob.onpointerdown = (event) => { from = event.clientX; };
  onpointermove = (event) => { if (from !== null) knob.style.left = Math.max(0, Math.min(360, event.clientX - from)) + 'px'; };
  onpointerup = () => { if (from !== null && parseInt(knob.style.left) > 250) add('slid'); from = null; };
  order.onclick = () => add('ordered');
</script></html>`;
/** Middles of the page's elements, in its pixels. */
const middle = {
  name: [190, 110],
  size: [190, 170],
  note: [190, 230],
  log: [190, 320],
  knob: [60, 410],
  order: [190, 470],
} as const;
const order = {
  id: 'order-by-hand',
  prompt: 'Order a large one for Ada Lovelace as a gift, and say how many that makes.',
  gym: 'hud-browser',
  setup: { function: 'goto', args: ['order.html'] },
  evaluate: [
    {
      function: 'page_contains',
      args: [['name Ada Lovelace', 'size l', 'gift', 'menu', 'read', 'slid', 'escaped', 'ordered']],
    },
    { function: 'response_is', args: ['42'] },
  ],
};
const question = {
  id: 'sum',
  prompt: 'What is 40 + 2?',
  gym: 'qa',
  evaluate: { function: 'response_is', args: ['42'] },
};
const files = {
  'hand/order.html': page,
  'hand/order.task.json': `${JSON.stringify(order, null, 2)}\n`,
  'hand/question.task.json': `${JSON.stringify(question, null, 2)}\n`,
};

let workbench: Workbench;

beforeAll(async () => {
  workbench = await Workbench.open({ files });
});
afterAll(() => workbench?.[Symbol.asyncDispose]());

/** The live picture, to be used as the page itself: places are pixels of the page. */
async function picture(of: Workbench) {
  const layer = of.panel.locator('.manual-layer');
  await layer.waitFor();
  const at = async (x: number, y: number): Promise<[number, number]> => {
    const box = await layer.boundingBox();
    if (box === null) throw new Error('The live picture is not shown');
    return [box.x + ((x + 0.5) * box.width) / 1280, box.y + ((y + 0.5) * box.height) / 720];
  };
  return { layer, at };
}

/** The actions of the agent so far, as the details of each step would print them. */
async function actions(of: Workbench): Promise<string[]> {
  const labels = await of.steps.allInnerTexts();
  return labels.map((label) => label.replace(/\s+/g, ' '));
}

async function acted(of: Workbench, count: number): Promise<void> {
  // The first step is the setup call.
  await expect.poll(() => of.steps.count()).toBe(count + 1);
}

/** The text that the recorded steps type. A slow machine takes typing as several steps. */
async function typed(of: Workbench): Promise<string> {
  const steps = await actions(of);
  return steps.map((label) => /keyboard_type “(.*)”/.exec(label)?.[1] ?? '').join('');
}

it('By hand: a task without a solution is the person’s to do', async () => {
  await workbench.openFile('hand/order.task.json');
  await workbench.lens('Run').first().click();
  await workbench.panel.getByRole('heading', { name: 'order-by-hand' }).waitFor();
  await picture(workbench);
  await expect.poll(() => workbench.panel.locator('.manual-mode').innerText()).toContain('Your turn');
});

it('By hand: the mouse acts in the live picture', async () => {
  const { mouse } = workbench.page;
  const { at } = await picture(workbench);
  await mouse.dblclick(...(await at(...middle.note)));
  await acted(workbench, 1);
  await mouse.click(...(await at(...middle.note)), { button: 'right' });
  await acted(workbench, 2);
  await mouse.move(...(await at(...middle.log)));
  await mouse.wheel(0, 300);
  await acted(workbench, 3);
  await mouse.move(...(await at(...middle.knob)));
  await mouse.down();
  const [x, y] = middle.knob;
  await mouse.move(...(await at(x + 100, y)), { steps: 4 });
  await mouse.move(...(await at(x + 330, y)), { steps: 6 });
  await mouse.up();
  await acted(workbench, 4);
  await mouse.click(...(await at(...middle.name)));
  await acted(workbench, 5);
  const done = (await actions(workbench)).slice(1);
  for (const [index, name] of ['dblclick', 'click', 'scroll_at', 'mouse_drag_and_drop', 'click'].entries()) {
    expect(done[index]).toContain(name);
  }
});

it('By hand: keys go to the page while that is seen, and one key gives them back', async () => {
  const { keyboard } = workbench.page;
  const bar = workbench.panel.locator('.manual-bar');
  await expect.poll(() => bar.getAttribute('class')).toContain('is-capturing');
  await keyboard.type('Ada Lovelace');
  await workbench.screenshot('by-hand-capturing-dark');
  await expect.poll(() => typed(workbench)).toBe('Ada Lovelace');
  const before = (await actions(workbench)).length - 1;
  await keyboard.press('Escape');
  await keyboard.press('Tab');
  await acted(workbench, before + 2);
  // What opens the command palette of VS Code goes to the page.
  await keyboard.press('F1');
  await acted(workbench, before + 3);
  expect(await workbench.page.locator('.quick-input-widget').isVisible()).toBe(false);
  await keyboard.press('Shift+Escape');
  await expect.poll(() => bar.getAttribute('class')).not.toContain('is-capturing');
  await keyboard.press('Enter');
  await expect.poll(() => bar.getAttribute('class')).toContain('is-capturing');
  await keyboard.press('Shift+Escape');
});

it('By hand: a list of the page opens as a choice of the window', async () => {
  const { at } = await picture(workbench);
  const before = (await actions(workbench)).length - 1;
  await workbench.page.mouse.click(...(await at(...middle.size)));
  await workbench.page.getByRole('option', { name: /Large/ }).click();
  await acted(workbench, before + 1);
  expect((await actions(workbench)).at(-1)).toContain('select_option');
  await workbench.page.mouse.click(...(await at(...middle.order)));
  await acted(workbench, before + 2);
});

it('By hand: the answer and the end; what was done is a run like any other', async () => {
  const before = (await actions(workbench)).length - 1;
  await workbench.panel.locator('.manual-bar').getByText('Answer…').click();
  const input = workbench.page.locator('.quick-input-widget input[type=text]');
  await input.fill('42');
  await input.press('Enter');
  await acted(workbench, before + 1);
  await workbench.screenshot('by-hand-dark');
  await workbench.panel.locator('.manual-bar').getByText('Finish').click();
  expect(await workbench.verdict(), (await actions(workbench)).join('\n')).toBe('1.00');
  const said = (await actions(workbench)).join('\n');
  expect(said).toContain('dblclick');
  expect(said).toContain('keyboard_type');
});

it('By hand: saved as the solution it is replayed as the proof', async () => {
  await workbench.panel.locator('.manual-bar').getByText('Save as Solution').click();
  const path = join(workbench.folder, 'hand', 'order-by-hand.actions');
  // VS Code creates the file before it writes the text.
  const solution = async () => (await readFile(path, 'utf8')).split('\n').map((line) => line.replace(/\d+/g, 'N'));
  await expect
    .poll(solution)
    .toEqual([
      '# Order a large one for Ada Lovelace as a gift, and say how many that makes.',
      "dblclick('#note')",
      "click('#note', 'right')",
      'scroll_at(N, N, N, N)',
      'mouse_drag_and_drop(N, N, N, N)',
      "click('#name')",
      "keyboard_type('Ada Lovelace')",
      "keyboard_press('Escape')",
      "keyboard_press('Tab')",
      "keyboard_press('FN')",
      "select_option('#size', 'l')",
      "click('#order')",
      "response('N')",
      '',
    ]);
  await workbench.panel.locator('.chip', { hasText: 'solution' }).waitFor();
  expect(await workbench.verdict()).toBe('1.00');
  await workbench.screenshot('by-hand-proof-dark');
});

it('By hand: nothing of the person’s is overwritten unasked', async () => {
  const path = join(workbench.folder, 'hand', 'order-by-hand.actions');
  await writeFile(path, '# mine\n');
  await workbench.page.keyboard.press('Escape');
  await workbench.command('Taskwright: Focus on Runs View');
  const row = workbench.page.getByRole('treeitem', { name: /run of order-by-hand.*manual/ });
  const dialog = workbench.page.getByRole('dialog');
  await workbench.selectFromMenu(row, 'Save as Solution', dialog.getByText('Overwrite the solution'));
  expect(await readFile(path, 'utf8')).toBe('# mine\n');
  await dialog.getByRole('button', { name: 'Overwrite' }).click();
  await expect.poll(() => readFile(path, 'utf8')).toContain("dblclick('#note')");
  expect(await workbench.verdict()).toBe('1.00');
});

itLong.each<Theme>(['dark', ...OTHER_THEMES])('By hand: a question in the %s theme', async (theme) => {
  await workbench.closeEditors();
  await workbench.setTheme(theme);
  await workbench.showTasks();
  await workbench.openFile('hand/order.task.json');
  await workbench.command('Run Task Manually');
  const { layer } = await picture(workbench);
  await layer.click();
  await expect.poll(() => workbench.panel.locator('.manual-bar').getAttribute('class')).toContain('is-capturing');
  await acted(workbench, 1);
  await workbench.screenshot(`by-hand-${theme.replace(' ', '-')}`);
  await workbench.panel.locator('.manual-bar').getByText('Finish').click();
  expect(await workbench.verdict()).toBe('0.00');
  await workbench.openFile('hand/question.task.json');
  await workbench.command('Run Task Manually');
  await workbench.panel.getByRole('heading', { name: 'sum' }).waitFor();
  await workbench.panel.locator('.manual-bar').getByText('Answer…').click();
  const input = workbench.page.locator('.quick-input-widget input[type=text]');
  await input.fill('42');
  await input.press('Enter');
  expect(await workbench.verdict()).toBe('1.00');
  await workbench.screenshot(`by-hand-question-${theme.replace(' ', '-')}`);
});
