import { expect } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import { Lines } from '../../../src/base/lines.ts';
import { diagnose } from '../../../src/language/findings/diagnose.ts';
import { hover } from '../../../src/language/typing/hover.ts';
import { signatureHelp } from '../../../src/language/typing/signature-help.ts';
import type { TextEdit } from '../../../src/tasks/change.ts';
import { readTasks, type TaskFile } from '../../../src/tasks/read.ts';
import { applyEdits } from '../tasks/changes.ts';
import { userFunctionsNamed } from './user-functions.ts';

export const own = userFunctionsNamed('cart_total');

export const tasks: readonly Json[] = [
  {
    id: 'buy',
    prompt: 'Buy the lamp: "now"',
    gym: { type: 'hud-browser' },
    setup: [['goto', 'shop.html'], { function: 'click', args: ['#buy'] }],
    evaluate: { function: 'page_contain', args: [['Thanks', 'Order']], id: 'x', metadata: { weight: 1e3 } },
    metadata: null,
    sensitive_data: {},
  },
  { id: 7, instruction: 'Look', start_url: 'https://shop.example/?a=b', reward_fn: "check_url_contains('cart')" },
  { id: 'buy', prompt: 'p', gym: 'qa', evaluate: ['response_match', '(?i)('], max_step: 3, tags: ['a', 'ä€😀'] },
  { prompt: 'p', mcp_config: { hud: { url: '${URL:no}' } }, evaluate_tool: { name: 'e', arguments: {} } },
  { env: { name: 'shop' }, scenario: 'shop:buy', args: { n: 1 } },
  { env: 'shop', id: 'buy', args: {}, slug: 'Buy It' },
];

const flow = (one: Json): string => JSON.stringify(one);
const yaml = `# tasks
name: s
tasks:
  - &base
    id: buy # first
    prompt: |
      Buy "it"

      now
    gym: {type: hud-browser}
    setup:
    - goto
    - shop.html
    evaluate: [page_contain, 'Thanks']
    metadata: null
  - <<: *base
    id: other
    max_step: 1e3
  - id: plain
    prompt: two
      lines
    evaluate: {function: response_is, args: [x, "y"]}
`;
const python = `from hud import Task, TaskSet
import os
x = os.environ["A"]
tasks = TaskSet(tasks=[
    Task(id="buy", prompt="Buy" " it", gym="hud-browser", setup=("goto", "shop.html"),
         evaluate=("page_contain", ["Thanks", f"{x}"]), metadata={"a": None, **x}),
    Task(
        prompt='''two
lines''', gyms=x, evaluate=[("url_match", r"\\d+")],
    ),
])
`;

export const FILES: Readonly<Record<string, readonly string[]>> = {
  '/a.tasks.json': [
    JSON.stringify(tasks, null, 2),
    JSON.stringify(tasks),
    JSON.stringify({ name: 's', tasks }, null, 2),
    JSON.stringify(tasks[0]),
  ],
  '/a.tasks.jsonl': [tasks.map(flow).join('\n')],
  '/a.tasks.yaml': [
    yaml,
    tasks.map((one) => `- ${flow(one)}`).join('\n'),
    JSON.stringify(tasks, null, 1),
    yaml.replace('&base', '').replace('<<: *base', 'prompt: "a\n      b"'),
  ],
  '/a_tasks.py': [python],
};

/** Whether the text itself can be read: what is wrong with its tasks is another matter. */
function isReadable(file: TaskFile): boolean {
  return file.findings.every(({ severity }) => severity !== 'error');
}

function stripped(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

/** What every text must stand: being read, asked at any place, changed and mended. */
export function endure(name: string, text: string, at: number): void {
  const file = readTasks(name, text);
  const findings = diagnose(file, own);
  const lines = new Lines(stripped(text));
  const end = lines.length;
  for (const { range, message, code } of findings) {
    expect(code).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);
    expect(message).not.toMatch(/undefined|\[object/);
    expect(lines.offset(range.start)).toBeLessThanOrEqual(lines.offset(range.end));
    expect(lines.offset(range.end)).toBeLessThanOrEqual(end);
  }
  const readable = isReadable(file);
  const stays = (edits: readonly TextEdit[] | null | undefined, after: (made: TaskFile) => void = () => {}): void => {
    if (edits === null || edits === undefined) return;
    const made = readTasks(name, applyEdits(text, edits));
    if (readable)
      expect(made.findings.filter(({ severity }) => severity === 'error').map(({ code }) => code)).toEqual(
        made.findings
          .filter(({ severity, code }) => severity === 'error' && code === 'task-not-object')
          .map(({ code }) => code),
      );
    after(made);
  };
  for (const finding of findings.slice(0, 25)) for (const fix of finding.fixes?.() ?? []) stays(fix.edits);
  for (const offset of [0, Math.floor(at * end), Math.floor(at * 0.5 * end), end]) {
    const position = lines.position(offset);
    const cursor = file.cursor(position);
    if (cursor !== undefined) {
      expect(lines.offset(cursor.range.start)).toBeLessThanOrEqual(lines.offset(cursor.range.end));
      expect(Number.isSafeInteger(cursor.range.end.line)).toBe(true);
    }
    hover(file, position, own);
    signatureHelp(file, position, own);
  }
  const row = file.rows[Math.floor(at * file.rows.length)];
  if (row !== undefined) {
    stays(row.edit([{ set: ['gym'], value: 'qa' }]), (made) => {
      if (readable) expect(made.rows[row.index]?.value).toMatchObject({ gym: 'qa' });
    });
    stays(row.edit([{ set: ['evaluate', 0, 'args', 5, 'x'], value: [null, { a: '\uD800\u0000' }] }]));
    stays(row.edit([{ rename: ['evaluate'], key: 'prompt' }]));
    stays(row.edit([{ remove: ['setup', 0] }, { remove: ['setup'] }, { remove: ['nothing'] }]));
    stays(row.edit([{ set: [], value: { id: 'new' } }]));
    stays(
      row.edit([
        { set: ['setup', -1], value: 0 },
        { set: ['id', 'x', 1.5], value: 0 },
      ]),
    );
    stays(file.removeRow(row.index), (made) => {
      if (readable) expect(made.rows.length).toBe(file.rows.length - 1);
    });
  }
  stays(file.insertRow(file.rows.length, { id: 'new', prompt: 'x: "y"' }), (made) => {
    if (readable) expect(made.rows.length).toBe(file.rows.length + 1);
  });
  file.insertRow(-1, {});
  file.insertRow(99, {});
  file.removeRow(99);
}
