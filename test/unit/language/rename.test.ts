import { beforeAll, describe, expect, it } from 'vitest';
import { Lines } from '../../../src/base/lines.ts';
import { idAt, renameId } from '../../../src/language/actions/rename.ts';
import { prepareToRead, readTasks } from '../../../src/tasks/read.ts';
import { applyEdits } from '../tasks/changes.ts';

beforeAll(() => prepareToRead('/a.py'));

/** The text after the id at a word is renamed, or why it is not. */
function rename(file: string, text: string, word: string, to: string): string | undefined {
  const read = readTasks(file, text);
  const found = idAt(read, new Lines(text).position(text.indexOf(word)));
  if (found === undefined) return undefined;
  const result = renameId(read, found, to);
  return 'refusal' in result ? result.refusal : applyEdits(text, result.edits);
}

describe('renaming a task', () => {
  it.each([
    ['/a.tasks.json', '[{"id": "old", "prompt": "old"}]', '[{"id": "new", "prompt": "old"}]'],
    ['/a.tasks.jsonl', '{"id":"old"}\r\n{"id":"b"}\r\n', '{"id":"new"}\r\n{"id":"b"}\r\n'],
    ['/a.tasks.yaml', '- id: old # first\n- id: b\n', '- id: new # first\n- id: b\n'],
    [
      '/a.py',
      'from hud import Task\nt = Task(id="old", prompt="p")\n',
      'from hud import Task\nt = Task(id="new", prompt="p")\n',
    ],
    ['/a.tasks.json', '[{"id": 701}]', '[{"id": "new"}]'],
  ])('%s', (file, before, after) => {
    expect(rename(file, before, before.includes('old') ? 'old' : '701', 'new')).toBe(after);
  });

  it('is offered only at the id of a task', () => {
    expect(rename('/a.tasks.json', '[{"id": "a", "prompt": "p"}]', '"prompt"', 'new')).toBeUndefined();
    expect(rename('/a.tasks.json', '[{"env": "e", "id": "template"}]', 'template', 'new')).toBeUndefined();
  });

  it('refuses an id that another task has, or that cannot name its solution', () => {
    const two = '[{"id": "a"}, {"id": "b"}]';
    expect(rename('/a.tasks.json', two, '"a"', 'b')).toContain('already');
    expect(rename('/a.tasks.json', two, '"a"', '../b')).toContain('“/”');
    expect(rename('/a.tasks.json', two, '"a"', '7')).toContain('number');
    expect(rename('/a.tasks.json', two, '"a"', 'a')).toBe(two);
  });
});
