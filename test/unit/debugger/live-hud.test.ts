import { describe, expect, it } from 'vitest';
import { FakePlacement, seen, verdict } from '../runs/fake-placement.ts';
import { fileIn, temporaryFolder } from '../runs/tasks.ts';
import { Client, type Seen } from './client.ts';

const JSON_TASK = `{
  "env": "letters",
  "id": "count",
  "args": {"word": "raspberry"},
  "slug": "berry"
}
`;

/** A task of HUD whose solution answers, and an editor that debugs it. */
async function berry(name: string, text: string) {
  const cwd = await temporaryFolder();
  const file = await fileIn(cwd, name, text);
  await fileIn(cwd, 'berry.actions', 'response("3")\n');
  const placement = new FakePlacement({
    reset: () => ({ ...seen('How many?'), goal: 'How many?' }),
    evaluate: () => verdict(1),
    step: () => seen('How many?', { terminated: true, info: { response: '3' } }),
  });
  return { client: new Client({ cwd, placement }), file, task: `${file}#berry`, placement };
}

const shown = (stop: Seen | 'terminated'): string => (stop === 'terminated' ? stop : `${stop.reason} ${stop.stack[0]}`);

describe('debugging a task of HUD', () => {
  it('stops before its start, its action, and its grade', async () => {
    const { client, task, placement } = await berry('berry.task.json', JSON_TASK);
    const first = await client.begin({ task, stopOnEntry: true });
    expect(first).toEqual({
      reason: 'entry',
      text: undefined,
      at: '1:1-1:1',
      stack: ['start: count({"word":"raspberry"})', 'berry (berry.task.json)'],
    });
    expect(placement.methods).not.toContain('session.reset');
    const stops = [first];
    for (let at = 0; at < 3; at += 1) stops.push(await client.go('next'));
    expect(stops.map(shown)).toEqual([
      'entry start: count({"word":"raspberry"})',
      'step step 1: response("3")',
      'step grade()',
      'step grade() → 1',
    ]);
    expect(await client.go('next')).toBe('terminated');
    // An editor may still ask for what it showed, and shows the user no error.
    await expect(client.stackTraceRequest({ threadId: 1 })).rejects.toThrow('The run is not stopped.');
    await expect(client.scopesRequest({ frameId: 1 })).rejects.toThrow('The run is not stopped.');
    expect(client.received).not.toContain('"showUser":true');
    expect(await client.said()).toContain('completed, reward 1');
  });

  const scenario = (indent: string) =>
    `{${indent}"env": {"name": "letters", "url": "http://127.0.0.1:9/mcp"},${indent}"scenario": "count",${indent}"args": {"word": "raspberry"},${indent}"id": "berry"}`;
  const START = 'breakpoint start: count({"word":"raspberry"})';
  const GRADE = 'breakpoint grade()';
  const python = [
    'from hud import Environment',
    'env = Environment("letters")',
    '@env.template()',
    'async def count(word): ...',
    'berry = count(word="raspberry")',
    'berry.slug = "berry"',
  ].join('\n');

  it.each([
    ['the env of a row', 'berry.task.json', JSON_TASK, { line: 2 }, [START]],
    ['the id of a row', 'berry.task.json', JSON_TASK, { line: 3 }, [GRADE]],
    ['a row on one line', 'berry.tasks.jsonl', JSON_TASK.replaceAll('\n', ''), { line: 1 }, [START, GRADE]],
    ['the id in a line', 'berry.tasks.jsonl', JSON_TASK.replaceAll('\n', ''), { line: 1, column: 28 }, [GRADE]],
    ['a call of a template', 'tasks.py', python, { line: 5 }, [START, GRADE]],
    ['a row of HUD 0.5', 'berry.tasks.jsonl', scenario(''), { line: 1 }, [START, GRADE]],
    ['the scenario of HUD 0.5', 'berry.task.json', scenario('\n'), { line: 3 }, [GRADE]],
  ])('a breakpoint on %s', async (_, name, text, breakpoint, expected) => {
    const { client, file, task } = await berry(name, text);
    const stops: string[] = [];
    let stop = await client.begin({ task }, { file, breakpoints: [breakpoint] });
    for (; stop !== 'terminated'; stop = await client.go('continue')) stops.push(shown(stop));
    expect(stops).toEqual(expected);
  });

  it('stops before the setup tool and the evaluate tool of HUD 0.4', async () => {
    const text = `{
  "id": "berry", "prompt": "Count.",
  "mcp_config": {"local": {"command": "true"}},
  "setup_tool": {"name": "setup"},
  "evaluate_tool": {"name": "check"}
}
`;
    const { client, file, task } = await berry('berry.task.json', text);
    const stops = [await client.begin({ task, stopOnEntry: true }, { file, breakpoints: [{ line: 5 }] })];
    stops.push(await client.go('continue'));
    expect(stops.map(shown)).toEqual(['entry setup()', 'breakpoint check()']);
  });
});
