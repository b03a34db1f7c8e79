import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { diagnose, refusal } from '../../../src/language/findings/diagnose.ts';
import { readTasks } from '../../../src/tasks/read.ts';
import { listFindings, saidOf } from './findings.ts';

const WEBARENA = { task_id: 3, sites: ['shop'], start_url: '__SHOP__', intent: 'Find tea.', eval: { eval_types: [] } };

const ROWS: Readonly<Record<string, readonly [key: string, row: JsonObject]>> = {
  'an OSWorld task': [
    'evaluator',
    {
      id: '6f0e',
      snapshot: 'os',
      instruction: 'Make a.txt',
      config: [{ type: 'execute', parameters: { command: ['touch', 'b'] } }],
      related_apps: ['os'],
      evaluator: { func: 'exact_match' },
      proxy: false,
    },
  ],
  'a WebArena task': ['intent', WEBARENA],
  'a VisualWebArena task': ['intent', { ...WEBARENA, image: null }],
  'a WebArena-Verified task': [
    'intent',
    {
      sites: ['shop'],
      task_id: 1,
      start_urls: ['__SHOP__'],
      intent: 'Find tea.',
      eval: [{ evaluator: 'x' }],
      revision: 1,
    },
  ],
  'a BrowserGym task': ['task_name', { task_name: 'webarena.310', webarena_split: 'test', comment: '' }],
  'a Harbor task': [
    'environment',
    { schema_version: '1.4', agent: { timeout_sec: 60 }, verifier: { timeout_sec: 60 }, environment: { cpus: 1 } },
  ],
  'a Terminal-Bench task': [
    'parser_name',
    { instruction: 'Fix it.', author_name: 'unknown', difficulty: 'easy', parser_name: 'pytest', tags: ['x'] },
  ],
  'a SWE-bench task': [
    'instance_id',
    { repo: 'acme/cart', instance_id: 'acme__cart-12', base_commit: 'f', problem_statement: 'Wrong.', patch: '' },
  ],
  'a WebVoyager task': ['ques', { web_name: 'Shop', id: 'Shop--0', ques: 'Price?', web: 'https://shop.example/' }],
  'an Online-Mind2Web task': [
    'task_description',
    { task_id: 'a', website: 'https://shop.example', task_description: 'Order tea', reference_length: 6 },
  ],
  'a GAIA task': ['Question', { task_id: 'a', Question: 'How many?', Level: 1, 'Final answer': '3' }],
};

describe('a task of another format', () => {
  it.each(Object.entries(ROWS))('%s has one finding, which says so and what to write', (name, [key, row]) => {
    const findings = saidOf(row);
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatch(new RegExp(`^information foreign-task ${key}: This is ${name}, which .* To run`));
  });

  it('is refused in the same words, alone among tasks that run', () => {
    const ours = { id: 'a', prompt: 'p', gym: 'qa', evaluate: ['response_is', 'x'] };
    const file = readTasks('/a.tasks.json', JSON.stringify([ours, WEBARENA]));
    const [finding] = diagnose(file, new Map());
    const refusals = file.rows.map((row) => refusal(file, row, new Map())?.message ?? null);
    expect(refusals).toEqual([null, finding?.message]);
  });

  it.each([
    { instruction: 'Click.', benchmark: 'miniwob', task_name: 'click-test' },
    { instruction: 'Click.', evaluator: 'a text' },
    { ...WEBARENA, prompt: 'p', gym: 'qa', evaluate: ['response_is', 'x'] },
    { env: 'count', id: 'count-to', verifier: {} },
  ])('is not one of our own with such keys: %j', (row) => {
    expect(listFindings('/a.task.json', JSON.stringify(row)).join('\n')).not.toContain('foreign-task');
  });
});
