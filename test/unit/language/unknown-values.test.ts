import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import { diagnose } from '../../../src/language/findings/diagnose.ts';
import { writePython } from '../../../src/tasks/formats/python/writer.ts';
import { prepareToRead, readTasks } from '../../../src/tasks/read.ts';

const FOLDER = 'test/fixtures/valid';
const HOLE = 'value of a variable';

beforeAll(() => prepareToRead('tasks.py'));

/** A value with each of its parts, and itself, in turn replaced. */
function* withHoles(value: Json): Generator<Json> {
  yield HOLE;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    for (const other of withHoles(item as Json)) {
      yield Array.isArray(value) ? value.with(Number(key), other) : { ...value, [key]: other };
    }
  }
}

const problemsOf = (text: string): string[] =>
  diagnose(readTasks('/x/tasks.py', `from hud import Task\nt = Task.from_dict(${text})`), new Map())
    .filter(({ severity }) => severity === 'error' || severity === 'warning')
    .map(({ code, message }) => `${code}: ${message}`);

describe('a task that is valid', () => {
  const files = readdirSync(FOLDER);

  it.each(files)('has no error or warning if any of its values is unknown: %s', (name) => {
    for (const { value } of readTasks(`/x/${name}`, readFileSync(join(FOLDER, name), 'utf8')).rows) {
      const row = value as Json;
      if (problemsOf(writePython(row)).length > 0) continue;
      for (const variant of withHoles(row)) {
        const text = writePython(variant).replaceAll(writePython(HOLE), 'VARIABLE');
        expect(problemsOf(text), text).toEqual([]);
      }
    }
  });
});
