import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HUD_0_6, HUD_0_6_0, HUD_0_6_12 } from '../../../scripts/python.ts';
import type { Json } from '../../../src/base/json.ts';
import { EnvironmentError } from '../../../src/environments/environment.ts';
import { HudEnvironment } from '../../../src/environments/hud/environment.ts';
import { HudSession } from '../../../src/environments/hud/session.ts';
import { readTemplates } from '../../../src/environments/hud/templates.ts';
import { startEnvServer } from '../../../src/placement/hud/env-server.ts';
import type { StartedServer } from '../../../src/placement/shared-servers.ts';
import { call, task } from '../../unit/runs/tasks.ts';
import { root } from '../programs.ts';
import { hudEnvironment } from '../python.ts';

const LIMIT = 120_000;

/** What comes of a template: its verdict, or what the error of its start or of its grade says. */
type Outcome =
  | {
      readonly value: number;
      readonly reason?: string;
      readonly parts?: Json;
      readonly goal?: string;
      readonly data?: Json;
      readonly screenshot?: Json;
      readonly warning?: RegExp;
    }
  | { readonly start: RegExp }
  | { readonly grade: RegExp };

interface Row {
  readonly id: string;
  readonly args?: Readonly<Record<string, Json>>;
  readonly answer?: string;
  /** Of HUD 0.6.21. */
  readonly outcome: Outcome;
  /** Of 0.6.12 and of 0.6.0, where it is another. */
  readonly of12?: Outcome;
  readonly of0?: Outcome;
}

const graded = (value: number, reason = `graded with ${value}`): Outcome => ({ value, reason });
const noVerdict = (type: string): Outcome => ({
  grade: new RegExp(
    `^task graded with ${type}: yield a number, an object with a numeric \\.reward, or a dict containing a numeric 'score'$`,
  ),
});
const notFinite = (id: string, python: string, shown: string): Row => ({
  id,
  outcome: {
    grade: new RegExp(`^task '${id}' graded with a non-finite score \\(${python}\\): yield a finite number$`),
  },
  of12: { grade: new RegExp(`^the "score" of the grade must be a finite number, and it is ${shown}$`) },
});
const noScore = (id: string, keys: string): Row => ({
  id,
  outcome: {
    grade: new RegExp(`^task '${id}' graded with a dict missing a numeric 'score' \\(keys: \\[${keys}\\]\\)$`),
  },
});

const NO_MESSAGE = /its code raised an exception without a message$/;
const NO_PROMPT = { start: /yields no prompt first/ };

const ROWS: readonly Row[] = [
  { id: 'float', outcome: graded(0.25) },
  { id: 'int', outcome: graded(1) },
  { id: 'true', outcome: graded(1) },
  { id: 'false', outcome: graded(0) },
  { id: 'zero', outcome: graded(0) },
  { id: 'minus zero', outcome: graded(-0, 'graded with 0') },
  { id: 'tiny', outcome: graded(5e-324) },
  { id: 'above', outcome: graded(7.5) },
  { id: 'below', outcome: graded(-1) },
  { id: 'with a reward', outcome: graded(0.75) },
  { id: 'result', outcome: graded(0.5, 'half of it') },
  { id: 'result with info', outcome: graded(1, 'all {"info":{"took":[1,2.5,null]}}') },
  { id: 'result that failed', outcome: { grade: /^the grade says that it failed: no disk$/ } },
  { id: 'result that failed without words', outcome: { grade: /^the grade says that it failed$/ } },
  { id: 'result that goes on', outcome: graded(0.5) },
  {
    id: 'subscores',
    outcome: {
      value: 0.5,
      parts: [
        { name: 'any', value: 1, reason: 'weight 0.5' },
        { name: 'any / first', value: 0, reason: '' },
        { name: 'any / second', value: 1, reason: '' },
        { name: 'all', value: 0, reason: 'weight 0.5' },
        { name: 'all / tidy', value: 0, reason: '{"why":"a mess"}' },
        { name: 'penalty', value: 0, reason: 'weight -0.25' },
      ],
    },
    of0: { grade: /1 validation error for SubScore\ninfo\n/ },
  },
  { id: 'dict', outcome: graded(0.75) },
  { id: 'dict with more', outcome: graded(0.75, 'graded with 0.75 {"note":"é","extra":[1,{"a":null}]}') },
  { id: 'nan in a dict', outcome: graded(0.5, 'graded with 0.5 {"note":NaN}') },
  { id: 'large int in a dict', outcome: graded(1, 'graded with 1 {"count":1.1805916207174113e+21}') },
  { id: 'no_verdict', outcome: graded(0) },
  { id: 'three_yields', outcome: graded(0.5) },
  { id: 'returns_early', outcome: graded(0) },
  { id: 'chatty', outcome: graded(1) },

  { id: 'decimal', outcome: noVerdict('Decimal') },
  { id: 'fraction', outcome: noVerdict('Fraction') },
  { id: 'text', outcome: noVerdict('str') },
  { id: 'none', outcome: noVerdict('NoneType') },
  { id: 'list', outcome: noVerdict('list') },
  { id: 'complex', outcome: noVerdict('complex') },
  { id: 'with a reward that is text', outcome: noVerdict('Worse') },
  notFinite('nan', 'nan', 'NaN'),
  notFinite('inf', 'inf', 'Infinity'),
  notFinite('minus inf in a dict', '-inf', '-Infinity'),
  { id: 'true in a dict', outcome: { grade: /^the "score" of the grade must be a finite number, and it is true$/ } },
  noScore('text in a dict', "'score'"),
  noScore('none in a dict', "'score'"),
  noScore('no score', "'reward'"),
  noScore('empty dict', ''),
  { id: 'too large', outcome: { grade: /^int too large to convert to float$/ } },
  { id: 'set in a dict', outcome: { grade: /^Object of type set is not JSON serializable$/ } },
  { id: 'bytes in a dict', outcome: { grade: /^Object of type bytes is not JSON serializable$/ } },
  { id: 'date in a dict', outcome: { grade: /^Object of type date is not JSON serializable$/ } },
  { id: 'grade raises', outcome: { grade: /^no such file$/ } },
  { id: 'grade raises nothing', outcome: { grade: NO_MESSAGE } },
  { id: 'grade raises lines', outcome: { grade: /^first\nsecond$/ } },
  { id: 'grade raises with a cause', outcome: { grade: /^outer$/ } },
  { id: 'grade raises a key', outcome: { grade: /^'level'$/ } },
  { id: 'grade raises a group', outcome: { grade: /^both \(2 sub-exceptions\)$/ } },
  { id: 'grade raises at length', outcome: { grade: /^x{100000}$/ } },
  { id: 'grade is cancelled', outcome: { grade: /^The HUD environment at tcp:.* closed the connection\.$/ } },
  { id: 'grade stops', outcome: { grade: /^async generator raised StopAsyncIteration$/ } },
  { id: 'grade calls for ever', outcome: { grade: /^maximum recursion depth exceeded/ } },

  { id: 'prompt: unicode', outcome: { value: 1, goal: 'é 日本 😀 \u2028 \0 end' } },
  { id: 'prompt: half a character', outcome: { value: 1, goal: '\ud83d!' } },
  { id: 'prompt: number', outcome: { value: 1, goal: '42', data: 42, warning: /: 42 is neither a text nor a list / } },
  { id: 'prompt: dict', outcome: { value: 1, goal: 'Do it.' } },
  {
    id: 'prompt: dict without a prompt',
    outcome: { value: 1, goal: '{"text":"Do it."}', data: { text: 'Do it.' }, warning: /"\} is neither a text nor a / },
  },
  { id: 'prompt: a megabyte', outcome: { value: 1, goal: 'x'.repeat(1_000_000) } },
  { id: 'prompt: messages', outcome: { value: 1, goal: 'You are brief.\n\nDo it.\n\nWhat?\n\nThis.' } },
  { id: 'prompt: picture', outcome: { value: 1, goal: 'See it.\n\nDo it.', screenshot: { width: 1, height: 1 } } },
  { id: 'prompt: nothing', outcome: NO_PROMPT },
  { id: 'prompt: empty', outcome: NO_PROMPT },
  { id: 'prompt: no messages', outcome: NO_PROMPT },
  { id: 'prompt: bytes', outcome: { start: /could not be started: Object of type bytes is not JSON serializable$/ } },
  {
    id: 'prompt: too long',
    outcome: { start: /could not be started: Control-channel response is 17000047 bytes; limit is 16777216 bytes/ },
    of12: { value: 1, goal: 'x'.repeat(17_000_000) },
  },
  { id: 'prompt: raises', outcome: { start: /^The template “prompt: raises” could not be started: no such level$/ } },
  { id: 'prompt: raises nothing', outcome: { start: NO_MESSAGE } },
  { id: 'no_yield', outcome: { start: NO_MESSAGE } },

  {
    id: 'arguments',
    args: { point: { x: 1 }, count: 2, other: 3 },
    outcome: { value: 1, goal: "(Point(x=1, y=0), 2, ['a'], False, {'other': 3})" },
    of12: { value: 1, goal: "({'x': 1}, 2, ['a'], False, {'other': 3})" },
  },
  { id: 'arguments', outcome: { start: /bad args \[\]: missing a required argument: 'point'$/ } },
  {
    id: 'argument',
    outcome: { start: /^The HUD environment has no template “argument”\. Did you mean “arguments”\?$/ },
  },
  { id: 'answer', answer: '1', outcome: graded(1, `graded with 1 {"answer":"'1'"}`) },
  { id: 'answer', outcome: graded(1, 'graded with 1 {"answer":"None"}') },
  {
    id: 'typed answer',
    answer: '{"x": 4}',
    outcome: graded(1, 'graded with 1 {"answer":"Point(x=4, y=0)","raw":"{\\"x\\": 4}"}'),
  },
  { id: 'typed answer', answer: 'four', outcome: graded(0, `graded with 0 {"answer":"'four'","raw":"four"}`) },
];

describe.each([
  { release: HUD_0_6, outcomeOf: (row: Row) => row.outcome },
  { release: HUD_0_6_12, outcomeOf: (row: Row) => row.of12 ?? row.outcome },
  { release: HUD_0_6_0, outcomeOf: (row: Row) => row.of0 ?? row.of12 ?? row.outcome },
])('templates of $release.name', async ({ release, outcomeOf }) => {
  const venv = await hudEnvironment(release);
  const isOld = release !== HUD_0_6;
  let folder = '';
  let server: StartedServer;
  beforeAll(async () => {
    if (venv === null) return;
    folder = await mkdtemp(join(tmpdir(), 'taskwright-hud-'));
    await cp(join(root, 'test', 'fixtures', 'hud', 'templates'), folder, { recursive: true });
    await symlink(venv, join(folder, '.venv'));
    server = await startEnvServer({ hud: join(folder, 'env.py'), name: 'templates', startMs: LIMIT, log: () => {} });
  }, LIMIT);
  afterAll(async () => {
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it.skipIf(venv === null).each(ROWS)('$id, answered with $answer', { timeout: LIMIT }, async (row) => {
    const { id, args = {}, answer } = row;
    const env = { type: 'hud', name: server.address, template: id, args };
    const environment = new HudEnvironment(() => {});
    const outcome = await (async () => {
      try {
        const started = await environment.reset({ task: task({ env }), files: { folder }, seed: 0 });
        const { signal } = new AbortController();
        const response = answer === undefined ? {} : { response: answer };
        const verdict = await environment.call(call('grade'), 'evaluate', { signal, ...response }).catch(
          // The connection is lost.
          ({ message }: Error) => ({ error: { message } }),
        );
        if ('error' in verdict) return { grade: verdict.error.message };
        const { goal, observation, warning } = started;
        expect(warning === undefined).toBe(!isOld && !('warning' in outcomeOf(row)));
        return { ...verdict, goal, warning, data: observation.data, screenshot: observation.screenshot };
      } catch (error) {
        expect(error).toBeInstanceOf(EnvironmentError);
        return { start: (error as Error).message };
      } finally {
        await environment.close();
      }
    })();
    expect(outcome).toMatchObject(
      Object.fromEntries(
        Object.entries(outcomeOf(row)).map(([key, value]) => [
          key,
          value instanceof RegExp ? expect.stringMatching(value) : value,
        ]),
      ),
    );
  });

  it.skipIf(venv === null)('are all here', { timeout: LIMIT }, async () => {
    const ids = (await readTemplates(server.address)).map(({ id }) => id);
    const others = ['starts_for_ever', 'waits_for_ever'];
    expect(new Set([...ROWS.map(({ id }) => id), ...others])).toEqual(new Set([...ids, 'argument']));
  });

  it.skipIf(venv === null)('may be left while they start or grade', { timeout: LIMIT }, async () => {
    const starting = await HudSession.open(server.address);
    const started = starting.start('starts_for_ever', {});
    await Promise.all([expect(started).rejects.toThrow(/interrupted|was left/), starting.close()]);
    const grading = await HudSession.open(server.address);
    await grading.start('waits_for_ever', {});
    const verdict = grading.grade(null);
    await Promise.all([expect(verdict).rejects.toThrow(/interrupted|was left/), grading.close()]);
    const next = await HudSession.open(server.address);
    await next.start('float', {});
    expect(await next.grade(null)).toEqual({ score: 0.25 });
    await next.close();
  });

  it.skipIf(venv === null)('are kept while no connection is there', { timeout: LIMIT }, async () => {
    const session = await HudSession.open(server.address);
    await session.start('answer', {});
    session.drop();
    expect(await session.grade('1')).toEqual({ score: 1, answer: "'1'" });
    await session.close();
  });
});
