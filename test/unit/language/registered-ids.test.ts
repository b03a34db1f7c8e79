import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Lines } from '../../../src/base/lines.ts';
import type { Range } from '../../../src/base/range.ts';
import { runToEnd } from '../../../src/base/slices.ts';
import { renameRegistered } from '../../../src/language/actions/rename-registered.ts';
import {
  type RegisteredId,
  registeredIdInCode,
  registeredIdInTask,
  usesOfClass,
} from '../../../src/language/navigation/registered-ids.ts';
import { UserFunctionNames } from '../../../src/runs/selection/selected-task.ts';
import { prepareToRead, readTasks } from '../../../src/tasks/read.ts';
import { applyEdits } from '../tasks/changes.ts';
import { atMark } from '../tasks/cursor.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'taskwright-ids-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const TASKS = `[
  {"id": "a", "prompt": "p", "gym": {"type": "browsergym", "benchmark": "custom", "task_name": "cards"}},
  {"instruction": "p", "benchmark": "custom", "task_name": "cards"},
  {"id": "cards", "prompt": "cards", "gym": {"type": "browsergym", "benchmark": "miniwob", "task_name": "cards"}},
  {"id": "b", "prompt": "p", "gym": {"type": "browsergym", "benchmark": "custom", "task_name": "notes"}}
]
`;
const YAML = '- id: c\n  gym: {type: browsergym, benchmark: custom, task_name: cards} # the cards\n';
const NOTES = "import { registerCustomTask } from 'taskwright';\nregisterCustomTask('notes', class Notes {});\n";
const CARDS = `@register_custom_task("cards")
class Cards(Base):
    pass
`;
const DESCRIBED = `ID = 'custom/cards'
registry.register(task_id=ID, config={"goal": "Sort."})
registry.register(
    task_id="web/login",
    config={"start_url": "login.html"},
)
`;
const FILES = {
  'a.tasks.json': TASKS,
  'b.tasks.yaml': YAML,
  'notes.functions.ts': NOTES,
  'cards.py': CARDS,
  'described.py': DESCRIBED,
};

/** The registered id at the mark `|` in one of the files. */
async function at(name: string, markedText: string, more: Readonly<Record<string, string>> = {}) {
  const { text, offset } = atMark(markedText);
  const texts: Readonly<Record<string, string>> = { ...FILES, ...more, [name]: text };
  for (const [file, content] of Object.entries(texts)) await writeFile(join(folder, file), content);
  const path = join(folder, name);
  await prepareToRead(path);
  const userFunctions = await new UserFunctionNames().beside(path);
  const names = userFunctions.customTasks;
  if (names === undefined) throw new Error('no code was read');
  const files = Object.entries(texts)
    .filter(([file]) => file.includes('.tasks.'))
    .map(([file, content]) => ({ file: readTasks(join(folder, file), content), userFunctions }));
  const position = new Lines(text).position(offset);
  const task = files.find(({ file }) => file.file === path)?.file;
  const id =
    task === undefined ? registeredIdInCode(path, position, names) : registeredIdInTask(task, userFunctions, position);
  return { id, names, files, texts };
}

function all({ id, files, texts }: Awaited<ReturnType<typeof at>>): string[] {
  const places = (id?.places ?? []).map(({ file, range }) => ({ file, range }));
  const target = id?.class;
  const uses =
    target === undefined
      ? []
      : files.flatMap(({ file, userFunctions }) =>
          runToEnd(usesOfClass(target, file, userFunctions)).map(({ range }) => ({ file: file.file, range })),
        );
  return [...places, ...uses].map(({ file, range }) => {
    const name = basename(file);
    return `${name}:${range.start.line + 1} ${inRange(texts[name] ?? '', range)}`;
  });
}

function inRange(text: string, { start, end }: Range): string | undefined {
  return text.split('\n')[start.line]?.slice(start.character, end.character);
}

/** What changes when the id at the mark is renamed, or why it is not renamed. */
async function rename(to: string, name: string, markedText: string, more: Readonly<Record<string, string>> = {}) {
  const { id, names, files, texts } = await at(name, markedText, more);
  const result = runToEnd(renameRegistered(id as RegisteredId, to, names, files));
  if ('refusal' in result) return result.refusal;
  const after = new Map<string, string>();
  for (const file of new Set(result.files.map((one) => one.file))) {
    const edits = result.files.filter((one) => one.file === file).flatMap((one) => one.edits);
    after.set(basename(file), applyEdits(texts[basename(file)] ?? '', edits));
  }
  return Object.fromEntries(after);
}

const CARDS_PLACES = [
  'cards.py:1 cards',
  'described.py:1 custom/cards',
  'a.tasks.json:2 cards',
  'a.tasks.json:3 cards',
  'b.tasks.yaml:2 cards',
];

describe('the places of a registered id', () => {
  it.each([
    ['the registration', 'cards.py', CARDS.replace('cards', 'ca|rds')],
    ['the name of the class', 'cards.py', CARDS.replace('Cards', 'Ca|rds')],
    ['a description', 'described.py', DESCRIBED.replace('cards', 'ca|rds')],
    ['a task in JSON', 'a.tasks.json', TASKS.replace('"cards"', '"ca|rds"')],
    ['a task in YAML', 'b.tasks.yaml', YAML.replace('cards', 'ca|rds')],
  ])('are found from %s', async (_, name, marked) => {
    expect(all(await at(name, marked))).toEqual(CARDS_PLACES);
  });

  it('are found for a class in TypeScript, and for a task without a class', async () => {
    const notes = ['notes.functions.ts:2 notes', 'a.tasks.json:5 notes'];
    expect(all(await at('notes.functions.ts', NOTES.replace("'notes'", "'notes|'")))).toEqual(notes);
    expect(all(await at('described.py', DESCRIBED.replace('login', 'lo|gin')))).toEqual(['described.py:4 web/login']);
  });

  it('are none for other texts', async () => {
    expect((await at('cards.py', CARDS.replace('pass', 'pa|ss'))).id).toBeUndefined();
    expect((await at('described.py', DESCRIBED.replace('Sort', 'So|rt'))).id).toBeUndefined();
    expect((await at('a.tasks.json', TASKS.replace('"id": "cards"', '"id": "ca|rds"'))).id).toBeUndefined();
  });

  it('have the range to rename, unless it is the name of the class', async () => {
    expect((await at('cards.py', CARDS.replace('cards', 'ca|rds'))).id?.range).toMatchObject({ start: { line: 0 } });
    expect((await at('cards.py', CARDS.replace('Cards', 'Ca|rds'))).id?.range).toBeUndefined();
  });

  it('are of one registration only if the name is registered again', async () => {
    const more = { 'more.py': 'register_custom_task("cards", More)\n' };
    expect(all(await at('cards.py', CARDS.replace('cards', 'ca|rds'), more))).toEqual(CARDS_PLACES);
    expect(all(await at('more.py', more['more.py'].replace('cards', 'ca|rds')))).toEqual(['more.py:1 cards']);
  });
});

describe('renaming a registered id', () => {
  const after = {
    'cards.py': CARDS.replace('cards', 'sorting'),
    'described.py': DESCRIBED.replace('cards', 'sorting'),
    'a.tasks.json': TASKS.replaceAll('"custom", "task_name": "cards"', '"custom", "task_name": "sorting"'),
    'b.tasks.yaml': YAML.replace('cards', 'sorting'),
  };

  it.each([
    ['sorting', 'cards.py', CARDS.replace('cards', 'ca|rds')],
    ['custom/sorting', 'described.py', DESCRIBED.replace('cards', 'ca|rds')],
    ['custom/sorting', 'a.tasks.json', TASKS.replace('"cards"', '"ca|rds"')],
  ])('to %s in %s changes it in code and in tasks', async (to, name, marked) => {
    expect(await rename(to, name, marked)).toEqual(after);
  });

  it('changes only the description if there is no class', async () => {
    const marked = DESCRIBED.replace('login', 'lo|gin');
    expect(await rename('app/sign-in', 'described.py', marked)).toEqual({
      'described.py': DESCRIBED.replace('web/login', 'app/sign-in'),
    });
    expect(await rename('web/login', 'described.py', marked)).toEqual({});
  });

  it('changes one of two registrations', async () => {
    expect(await rename('more', 'more.py', 'register_custom_task("ca|rds", More)\n')).toEqual({
      'more.py': 'register_custom_task("more", More)\n',
    });
  });

  it.each([
    ['notes', /“notes” already exists/],
    ['custom/notes', /“custom\/notes” already exists/],
    ['web/x', /“\/” is not allowed/],
    ['', /Enter/],
    ["x'y", /quotation marks/],
    ['x${y}', /\$\{/],
  ])('to “%s” is refused', async (to, message) => {
    expect(await rename(to, 'cards.py', CARDS.replace('cards', 'ca|rds'))).toMatch(message);
  });

  it('is refused if a task that refers to it has syntax errors', async () => {
    const broken = { 'a.tasks.json': TASKS.replace('"prompt": "p", ', '"prompt": , ') };
    const text = await rename('x', 'cards.py', CARDS.replace('cards', 'ca|rds'), broken);
    expect(text).toMatch(/syntax errors/);
  });
});
