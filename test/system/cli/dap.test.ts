import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fileIn, temporaryFolder } from '../../unit/runs/tasks.ts';
import { editor } from './debugging-editor.ts';

const PAGE = `<title>Shop</title><h1>Cart</h1><button onclick="document.querySelector('h1').textContent = 'Thanks'">Buy</button>`;
const TASK = `{
  "id": "buy",
  "prompt": "Buy it.",
  "gym": "hud-browser",
  "setup": ["goto", "shop.html"],
  "evaluate": [
    {"function": "page_contains", "args": ["Thank you"]}
  ]
}
`;

it('a task is debugged, and its recorded run replayed, by another editor over standard streams', async () => {
  const cwd = await temporaryFolder();
  const file = await fileIn(cwd, 'buy.task.json', TASK);
  await fileIn(cwd, 'shop.html', PAGE);
  await fileIn(cwd, 'buy.actions', "click('button')\n");

  const live = editor(cwd);
  const stopped = await live.launch({ task: `${file}#buy` }, { source: { path: file }, breakpoints: [{ line: 7 }] });
  expect(stopped).toBe('page_contains("Thank you")');
  expect(await live.ask('page.title()')).toBe('"Shop"');
  expect(await live.ask('page_contains("Thanks")')).toMatch(/^1 /);
  await writeFile(file, TASK.replace('Thank you', 'Thanks'));
  expect(await live.next(() => live.client.restartFrameRequest({ frameId: 1 }))).toBe('page_contains("Thanks") → 1');
  const over = live.client.waitForEvent('terminated', 30_000);
  await live.client.continueRequest({ threadId: 1 });
  await over;
  await live.client.disconnectRequest();
  live.child.stdin.end();
  expect(await live.ended).toMatchObject({ code: 0 });

  const jobs = join(cwd, '.taskwright', 'jobs');
  const [job = ''] = (await readdir(jobs)).filter((name) => !name.startsWith('.'));
  const [name = ''] = (await readdir(join(jobs, job))).filter((one) => one.startsWith('buy'));
  const run = join(jobs, job, name);
  expect(JSON.parse(await readFile(join(run, 'run.json'), 'utf8'))).toMatchObject({ reward: 1 });

  const replay = editor(cwd);
  expect(await replay.launch({ run })).toBe('goto("shop.html")');
  const heading = 'page.locator("h1").textContent()';
  expect(await replay.ask(heading)).toBe('"Cart"');
  expect(await replay.next(() => replay.client.nextRequest({ threadId: 1 }))).toBe("step 1: click('button')");
  expect(await replay.ask(heading)).toBe('"Thanks"');
  expect(await replay.next(() => replay.client.stepBackRequest({ threadId: 1 }))).toBe('goto("shop.html")');
  expect(await replay.ask(heading)).toBe('"Cart"');
  // The editor is gone without a word; that nothing of it is left is looked at behind each test.
  replay.child.stdin.destroy();
  expect(await replay.ended).toMatchObject({ code: 0 });
});
