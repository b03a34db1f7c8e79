import { describe, expect, it } from 'vitest';
import { UsedValues } from '../../../src/language/typing/used-values.ts';
import { readTasks } from '../../../src/tasks/read.ts';

const file = (name: string, ...tasks: readonly unknown[]) => readTasks(name, JSON.stringify(tasks));

describe('values that tasks share', () => {
  it('are the tags and addresses of this file and of the others', () => {
    const here = file('/a.tasks.json', { tags: ['one'], setup: ['goto', 'https://a.example/'] }, { tags: 'two' });
    const there = file('/b.tasks.json', {
      metadata: { tags: ['three'] },
      evaluate: [{ function: 'f', args: ['http://b.example'] }],
    });
    const { tags, urls } = new UsedValues().collect(here, 0, [here, there]);
    expect([...tags]).toEqual(['one', 'two', 'three']);
    expect([...urls]).toEqual(['https://a.example/', 'http://b.example']);
  });

  it('are searched for near the edited task, so that a large file takes no longer than a small one', () => {
    const large = file('/a.tasks.json', ...Array.from({ length: 5_000 }, (_, index) => ({ tags: [`t${index}`] })));
    const { tags } = new UsedValues().collect(large, 3_000, []);
    expect(tags.size).toBe(1_000);
    expect(tags).toContain('t3000');
    expect(tags).not.toContain('t0');
  });

  it('are read from broken rows without errors', () => {
    const odd = readTasks('/a.tasks.jsonl', '{"tags": [1, null, {"a": "x"}]}\n{"tags": [\n7\n{"tags": ["ok"]}');
    expect([...new UsedValues().collect(odd, 0, []).tags]).toEqual(['ok']);
  });
});
