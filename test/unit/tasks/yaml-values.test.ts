import { describe, expect, it } from 'vitest';
import { readTasks } from '../../../src/tasks/read.ts';
import type { TaskFile } from '../../../src/tasks/rows.ts';

const read = (value: string): TaskFile => readTasks('/x/a.task.yaml', `id: a\nmetadata: {of: ${value}}\n`);
const metadataOf = (file: TaskFile): unknown => Object(file.rows[0]?.value).metadata;

describe('values of YAML tags', () => {
  // As PyYAML 6 reads them.
  it.each([
    ['!!float 1', 1],
    ['!!float "1.5"', 1.5],
    ['!!float -2e3', -2000],
    ['!<tag:yaml.org,2002:float> .5', 0.5],
    ['!!int "3"', 3],
    ['!!str 3', '3'],
    ['!!bool "true"', true],
    ['!!null ""', null],
    ['!!map {a: 1}', { a: 1 }],
    ['!!seq [1]', [1]],
    ['2001-01-01', '2001-01-01'],
  ])('%s is %j', (source, expected) => {
    const file = read(source);
    expect(file.findings).toEqual([]);
    expect(metadataOf(file)).toEqual({ of: expected });
  });

  it.each(['!!omap [a: 1, b: 2]', '!!pairs [a: 1, a: 2]', '!!set {a, b}', '!!binary aGk=', '!!timestamp 2001-01-01'])(
    '%s cannot be written in JSON',
    (source) => {
      expect(read(source).findings.map(({ severity, code }) => `${severity} ${code}`)).toEqual([
        'error value-not-json',
      ]);
    },
  );

  it.each(['!!omap {a: 1}', '!!set [a]'])('reports %s once', (source) => {
    expect(read(source).findings.map(({ code }) => code)).toEqual(['value-not-json']);
  });

  it.each([
    ['!!int a', 'int'],
    ['!!bool 1', 'bool'],
    ['!!null x', 'null'],
    ['!!str [1]', 'str'],
    ['!!map [1]', 'map'],
    ['!!seq {a: 1}', 'seq'],
    ['!!binary [1]', 'binary'],
  ])('reports that %s does not match its tag', (source, name) => {
    expect(read(source).findings).toMatchObject([
      { severity: 'error', code: 'unknown-tag', message: expect.stringContaining(`does not match its tag !!${name}.`) },
    ]);
  });

  it.each(['!!float .inf', '!!float -.INF', '!!float .nan', '.inf'])('%s is not finite', (source) => {
    expect(read(source).findings).toMatchObject([{ severity: 'error', code: 'number-not-finite' }]);
  });

  it('reports a float that is not one', () => {
    const [finding, ...others] = read('!!float x').findings;
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ severity: 'error', code: 'syntax', message: expect.stringContaining('“x”') });
  });
});
