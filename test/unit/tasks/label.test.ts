import { beforeAll, describe, expect, it } from 'vitest';
import { runToEnd } from '../../../src/base/slices.ts';
import { taskLabel } from '../../../src/tasks/label.ts';
import { prepareToRead, readTasks } from '../../../src/tasks/read.ts';

beforeAll(() => prepareToRead('tasks.py'));

const labels = (file: string, text: string): string[] => readTasks(file, text).rows.map(({ label }) => label);
const python = (text: string): string[] => labels('/x/tasks.py', `from hud import Task, TaskSet\n${text}\n`);

describe('the label of a task is', () => {
  it.each([
    ['its id', 'capital = Task(id="a", prompt="p")', 'a'],
    ['its variable', 'capital = Task(prompt="p")', 'capital'],
    ['its variable with a type', 'x = 1; capital: Task = Task(prompt="p")', 'capital'],
    ['its variable in a function', 'def f():\n    capital = (\n      Task(prompt="p"))', 'p'],
    ['its variable on an indented line', 'if True:\n    capital = Task(prompt="p")', 'capital'],
    ['its key in a dictionary', 'tasks = {"capital": Task(prompt="p")}', 'capital'],
    ['its prompt where no variable is its own', 'tasks = [Task(prompt="p")]', 'p'],
    ['its prompt where several variables share it', 'a, b = Task(prompt="p"), 1', 'p'],
    ['its prompt as an argument', 'run(task=Task(prompt="p"))', 'p'],
    ['its prompt in an attribute', 'a.b = Task(prompt="p")', 'p'],
    ['its index', 'tasks = [Task()]', '0'],
  ])('%s', (_, text, label) => {
    expect(python(text)).toEqual([label]);
  });

  it('the beginning of a long prompt, on one line', () => {
    const [label = ''] = labels('/a.task.json', JSON.stringify({ prompt: `What is\n the ${'very '.repeat(50)}` }));
    expect(label).toMatch(/^What is the very .*…$/);
    expect(label.length).toBeLessThanOrEqual(61);
  });

  it.each([
    ['an id', { id: 'a\nb\u202Ec\u001B[2J' }, 'a\\nb\\u202ec\\x1b[2J'],
    ['a title', { name: 'Buy\n\u2067 it\u0007\r now' }, 'Buy \\u2067 it\\x07 now'],
    ['a prompt', { prompt: '\u200FRead \u2028this' }, '\\u200fRead this'],
    ['a long prompt', { prompt: `${'x'.repeat(59)}🧪🧪` }, `${'x'.repeat(59)}…`],
  ])('%s without control characters', (_, row, label) => {
    expect(labels('/a.task.json', JSON.stringify({ prompt: 'p', ...row }))).toEqual([label]);
  });

  it('its slug or title before its prompt', () => {
    expect(labels('/a.tasks.json', '[{"prompt":"p","name":"Title"},{"instruction":"q"},5]')).toEqual([
      'Title',
      'q',
      '2',
    ]);
    expect(labels('/a.task.json', '{"scenario":"s","env":{"name":"e"},"slug":"one"}')).toEqual(['one']);
  });

  it('its variable, also after a change of the text', () => {
    const text = 'from hud import Task\ncapital = Task(prompt="p")\n';
    const file = readTasks('/x/tasks.py', text);
    const at = text.indexOf('"p"') + 2;
    runToEnd(file.change([{ start: at, end: at, text: 'q' }]));
    expect(file.rows.map(({ label, value }) => [label, value])).toEqual([['capital', { prompt: 'pq' }]]);
    const name = text.indexOf('capital');
    runToEnd(file.change([{ start: name, end: name + 1, text: 'K' }]));
    expect(file.rows.map(({ label }) => label)).toEqual(['Kapital']);
  });
});

describe('outside its file, a task is shown as', () => {
  const shown = { id: null, index: 2, name: null, prompt: null };
  it.each([
    ['its id', { ...shown, id: 'a\u202e', prompt: 'p' }, String.raw`a\u202e`],
    ['its title', { ...shown, name: 'Title', prompt: 'p' }, 'Title'],
    ['the beginning of its prompt', { ...shown, prompt: 'Find the\nanswer. '.repeat(9) }, /^Find the answer\. .*…$/],
    ['its number', { ...shown, prompt: ' ' }, '#2'],
  ])('%s', (_, task, label) => {
    expect(taskLabel(task)).toMatch(label);
  });
});
