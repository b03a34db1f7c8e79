import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readTasks } from '../src/tasks/read.ts';
import type { Task } from '../src/tasks/task.ts';

/** Pages to measure with: two of the examples, a table of a few hundred elements, and one that changes all the time. */
export type BenchPage = 'form' | 'shop' | 'table' | 'animated';

/** A folder with a task for each page. */
export interface BenchFolder extends AsyncDisposable {
  readonly path: string;
  /** The page itself, for the peer. */
  html(page: BenchPage): string;
  task(page: BenchPage): Task;
}

const rows = Array.from(
  { length: 40 },
  (_, row) =>
    `<tr><td><a href="#row-${row}">Lamp ${row}</a></td><td>${row * 3 + 7}.00</td>` +
    `<td><label><input type="checkbox" name="row-${row}"> keep</label></td><td><button type="button">Remove</button></td></tr>`,
).join('');

const TABLE = `<!doctype html><title>Orders</title>
<style>body { font: 14px sans-serif; margin: 16px } td { padding: 2px 12px } button { padding: 2px 8px }</style>
<h1>Orders</h1>
<p>Seen <output id="count">0</output> times</p>
<button id="next">Next</button>
<form><label>Name <input id="name"></label> <label>City <select><option>Kiel<option>Lübeck</select></label></form>
<table>${rows}</table>
<script>
  let count = 0;
  document.getElementById('next').onclick = () => { document.getElementById('count').textContent = String(++count); };
</script>`;

const ANIMATED = `<!doctype html><title>Moving</title>
<style>body { margin: 0; background: #fff } #box { position: absolute; width: 240px; height: 160px; background: #06c }</style>
<div id="box"></div><p id="frame">0</p>
<script>
  let frame = 0;
  const draw = () => {
    frame += 1;
    document.getElementById('box').style.transform = 'translate(' + (frame * 7 % 900) + 'px,' + (frame * 3 % 500) + 'px)';
    document.getElementById('frame').textContent = String(frame);
    requestAnimationFrame(draw);
  };
  draw();
</script>`;

export async function benchFolder(): Promise<BenchFolder> {
  const path = await mkdtemp(join(tmpdir(), 'taskwright-bench-'));
  const examples = join(import.meta.dirname, '..', 'examples');
  const pages: Record<BenchPage, string> = {
    form: await readFile(join(examples, 'login', 'login.html'), 'utf8'),
    shop: await readFile(join(examples, 'shop', 'shop.html'), 'utf8'),
    table: TABLE,
    animated: ANIMATED,
  };
  const file = join(path, 'bench.tasks.json');
  const rows = Object.keys(pages).map((id) => ({
    id,
    prompt: 'Click.',
    gym: 'hud-browser',
    setup: ['goto', `${id}.html`],
    evaluate: ['element_exists', 'body'],
  }));
  const text = JSON.stringify(rows);
  await writeFile(file, text);
  for (const [id, html] of Object.entries(pages)) await writeFile(join(path, `${id}.html`), html);
  const tasks = readTasks(file, text);
  return {
    path,
    html: (page) => pages[page],
    task(page) {
      const task = tasks.rows.find((row) => row.task?.id === page)?.task;
      if (!task) throw new Error(`The bench's own task ${page} cannot be read.`);
      return task;
    },
    async [Symbol.asyncDispose]() {
      await rm(path, { recursive: true, force: true });
    },
  };
}
