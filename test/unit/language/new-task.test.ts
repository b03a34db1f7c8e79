import { describe, expect, it } from 'vitest';
import { Lines } from '../../../src/base/lines.ts';
import { idProblem, newTask, placeholderOf, TASK_TEMPLATES } from '../../../src/language/actions/new-task.ts';
import { diagnose } from '../../../src/language/findings/diagnose.ts';
import { freeId } from '../../../src/language/free-id.ts';
import { prepareToRead, readTasks } from '../../../src/tasks/read.ts';

const FILES = ['/new.tasks.json', '/new.tasks.jsonl', '/new.tasks.yaml'];

/** The text with the edits made; they stand in the order of the text. */
function insert(path: string, text: string, task: ReturnType<typeof newTask>): string {
  const file = readTasks(path, text);
  const edits = file.insertRow(file.rows.length, task) ?? [];
  const lines = new Lines(text);
  return edits.toReversed().reduce((changed, { range, text: put }) => {
    return changed.slice(0, lines.offset(range.start)) + put + changed.slice(lines.offset(range.end));
  }, text);
}

describe('a new task', () => {
  const cases = TASK_TEMPLATES.flatMap((beginning) =>
    beginning.evaluate.flatMap((call) =>
      FILES.map((path) => [path, beginning.kind, call.function, beginning, call] as const),
    ),
  );
  it.each(cases)(
    'in %s: %s with %s has no findings, and neither has a second one',
    (path, kind, _name, beginning, call) => {
      const start = kind === 'page' ? 'new.html' : 'https://shop.example/';
      const first = insert(path, '', newTask({ beginning, id: 'one', prompt: 'Do it.', start, call }));
      const both = insert(path, first, newTask({ beginning, id: 'two', prompt: 'Do it again.', start, call }));
      const file = readTasks(path, both);
      expect(file.rows.map(({ id }) => id)).toEqual(['one', 'two']);
      expect(diagnose(file, new Map())).toEqual([]);
    },
  );
});

it.each(FILES)('a new task in a HUD environment in %s has no findings, and a slug', (path) => {
  const beginning = TASK_TEMPLATES.find(({ kind }) => kind === 'template');
  if (beginning === undefined) throw new Error('there is none');
  const asked = { beginning, prompt: '', start: '', call: null };
  const first = insert(path, '', newTask({ ...asked, id: 'one' }));
  const text = insert(path, first, newTask({ ...asked, id: 'two' }));
  const file = readTasks(path, text);
  expect(file.rows.map(({ name }) => name)).toEqual(['one', 'two']);
  expect(file.rows[1]?.task?.env).toMatchObject({ type: 'hud', name: 'letter-count', template: 'count' });
  const selected = file.rows[1]?.rangeOf(placeholderOf({ call: null }));
  if (selected === undefined) throw new Error('The text to select does not exist.');
  const { start, end } = selected;
  expect(text.split('\n')[start.line]?.slice(start.character, end.character)).toMatch(/^["']?raspberry["']?$/);
  // No release of HUD reads YAML.
  expect(diagnose(file, new Map()).filter(({ code }) => code !== 'hud-file')).toEqual([]);
});

it('a new task goes to the end of a list in Python', async () => {
  await prepareToRead('/a.py');
  const [beginning] = TASK_TEMPLATES;
  const [call] = beginning?.evaluate ?? [];
  if (beginning === undefined || call === undefined) throw new Error('there is nothing to begin with');
  const before =
    'from hud.task import Task\n\ntasks = [\n    Task(id="one", prompt="Hello?", gym="qa", evaluate=("response_is", "x")),\n]\n';
  const task = newTask({ beginning, id: 'two', prompt: 'Do it.', start: 'two.html', call });
  const file = readTasks('/a.py', insert('/a.py', before, task));
  expect(file.rows.map(({ id }) => id)).toEqual(['one', 'two']);
  expect(diagnose(file, new Map())).toEqual([]);
});

describe('the id of a new task', () => {
  it.each([
    ['', 'unique ID'],
    [' a', 'cannot begin or end with a space'],
    ['a/b', '“/” is not allowed'],
    ['a#b', '“#” is not allowed'],
    ['a\nb', 'is not allowed'],
    ['.a', 'begin with a dot'],
    ['7', 'index of a task'],
    ['order', '“order” already'],
  ])('%j is refused with a reason', (id, words) => {
    expect(idProblem(id, new Set(['order']))).toContain(words);
  });

  it.each(['order-2', 'Größe prüfen', 'a.b', '3-lamps'])('%s is accepted', (id) => {
    expect(idProblem(id, new Set(['order']))).toBeUndefined();
  });

  it('of a duplicate has the next number', () => {
    expect(freeId('order', new Set())).toBe('order');
    expect(freeId('order', new Set(['order']))).toBe('order-2');
    expect(freeId('order-2', new Set(['order-2', 'order-3']))).toBe('order-4');
    expect(freeId('2024-05', new Set(['2024-05']))).toBe('2024-6');
  });
});
