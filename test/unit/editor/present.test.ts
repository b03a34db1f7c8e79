import { describe, expect, it } from 'vitest';
import { panelHtml } from '../../../src/editor/panel/html.ts';
import { launchers } from '../../../src/editor/terminal/launcher.ts';
import { panelMessageSchema, panelStateSchema } from '../../../src/presentation/runs/messages.ts';
import { presentAction, presentRun, presentSteps } from '../../../src/presentation/runs/present.ts';
import type { ReadableRun } from '../../../src/presentation/runs/readable-run.ts';
import type { Task } from '../../../src/tasks/task.ts';
import type { RunRecord } from '../../../src/traces/trace.ts';
import { ASKS_SUB_AGENT, linesOf } from '../formats/runs/hud/spans.ts';
import { task } from '../runs/tasks.ts';

describe('an action in the list of steps', () => {
  it.each([
    ["click('#apply')", [{ action: "click('#apply')", element: 'button “Apply”' }], 'click', '“Apply”'],
    [
      "fill('#voucher', 'WINTER10')",
      [{ action: "fill('#voucher', 'WINTER10')", text: 'WINTER10' }],
      'fill',
      '“WINTER10”',
    ],
    ["goto('shop.html')", [], 'goto', '“shop.html”'],
    ['scroll(0, 240)', [{ action: 'scroll(0, 240)', scroll: { x: 0, y: 240 } }], 'scroll', '+240'],
    ['scroll(0, -240)', [{ action: 'scroll(0, -240)', scroll: { x: 0, y: -240 } }], 'scroll', '-240'],
    ['noop()', [], 'noop', ''],
  ])('%s', (action, acted, verb, object) => {
    expect(presentAction(action, acted)).toEqual({ verb, object });
  });

  it('reads objects as it reads strings', () => {
    expect(presentAction({ type: 'response', text: 'Done' }, [])).toEqual({ verb: 'response', object: 'Done' });
  });

  it('counts further actions', () => {
    expect(presentAction(["click('#a')", "click('#b')", "click('#c')"], [])).toEqual({
      verb: 'click',
      object: '“#a” and 2 more',
    });
  });
});

describe('a trace of HUD', () => {
  const lines = presentSteps(linesOf(...ASKS_SUB_AGENT), { address: String, lineOf: () => null, pinned: false });

  it('lists answers, tools with their results, and sub-agents with what they are asked and answer', () => {
    expect(lines.map(({ verb, object, part, depth }) => [depth ?? 0, part ?? null, `${verb} ${object}`])).toEqual([
      [0, null, 'bash {"command":"ls"}'],
      [0, 'tool', 'bash → counter.py'],
      [0, 'subagent', 'sub-agent “three”'],
      [1, 'prompt', 'prompt “Count the letters r.”'],
      [1, null, 'count {}'],
      [1, 'tool', 'count → not found'],
      [1, 'subagent', 'sub-agent '],
      [2, null, 'message “deep”'],
      [1, null, 'response three'],
      [0, null, 'response 3'],
    ]);
  });

  it('tells what the model said, its tools, and its usage', () => {
    expect(lines[0]?.turn).toEqual({
      message: 'I ask a counter.',
      reasoning: 'Letters are hard for me.\nA counter is better.',
      calls: [{ name: 'bash', arguments: '{"command":"ls"}' }],
      model: 'scripted-1',
      usage: ['1,200 tokens in', '1,000 of them cached', '80 tokens out', '$0.0123'],
      citations: [],
    });
    expect(lines[9]?.turn?.citations).toEqual(['https://words.example – r']);
  });

  it('tells nothing of a model where there was none', () => {
    const [click] = presentSteps(
      [
        { ...linesOf({ source: 'agent' })[0], action: "click('#a')", info: {} } as Parameters<
          typeof presentSteps
        >[0][0],
      ],
      { address: String, lineOf: () => null, pinned: false },
    );
    expect(click).not.toHaveProperty('turn');
  });
});

describe('a reward curve is offered', () => {
  const at = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
  const evaluate = [{ function: 'page_contains', args: ['x'], range: at }];
  const isOffered = (env: Task['env'], more: Partial<ReadableRun> = {}, calls = evaluate): boolean => {
    const run: ReadableRun = {
      ...{ runId: 'r', traceDir: '/jobs/r', task: task({ env, evaluate: calls }), prompt: '', agent: 'noop', seed: 0 },
      ...{ runtime: 'local', startedAt: '2026-01-01T00:00:00Z', status: 'interrupted' },
      record: {
        run_id: 'r',
        grade: { reward: null, subscores: [] },
        reward: null,
        error: null,
      } as unknown as RunRecord,
      steps: async () => [],
      step: async () => undefined,
      ...more,
    };
    return presentRun(run, [], { address: String, lineOf: () => null, pinned: false }).rescorable;
  };

  it('for pages and answers, once the run is over and recorded', () => {
    expect(isOffered({ type: 'hud-browser' })).toBe(true);
    expect(isOffered({ type: 'qa' })).toBe(true);
    expect(isOffered({ type: 'browsergym', benchmark: 'miniwob', task_name: 'click-test' })).toBe(true);
    expect(isOffered({ type: 'qa' }, { record: null, status: 'running' })).toBe(false);
    expect(isOffered({ type: 'qa' }, { traceDir: null })).toBe(false);
    expect(isOffered({ type: 'qa' }, {}, [])).toBe(false);
  });

  it('not for runs that record nothing to re-score', () => {
    for (const type of ['coding', 'hud-ubuntu', 'public']) expect(isOffered({ type })).toBe(false);
  });
});

it('presents the errors of earlier attempts', () => {
  const retried = [{ message: 'the process of `agent.py` ended', code: 'agent_died' }];
  const run: ReadableRun = {
    ...{ runId: 'r', traceDir: null, task: task({}), prompt: '', agent: 'noop', seed: 0, runtime: 'local' },
    ...{ startedAt: '2026-01-01T00:00:00Z', status: 'running', record: null, retried },
    steps: async () => [],
    step: async () => undefined,
  };
  const shown = presentRun(run, [], { address: String, lineOf: () => null, pinned: false });
  expect(shown.retried).toEqual(['the process of agent.py ended']);
});

describe('the page of the run panel', () => {
  const page = panelHtml({
    nonce: 'n0',
    cspSource: 'https://source',
    script: 's.js?a&b',
    style: 's.css',
    language: 'en',
  });

  it('can only run our script and loads nothing from elsewhere', () => {
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1];
    expect(policy).toBe(
      "default-src 'none'; script-src 'nonce-n0'; style-src https://source 'nonce-n0'; img-src https://source data: blob:; font-src https://source",
    );
    expect(page.match(/<script/g)).toHaveLength(1);
    expect(page).toContain('nonce="n0" src="s.js?a&amp;b"');
  });

  it('accepts only valid messages', () => {
    expect(panelMessageSchema.safeParse({ type: 'selected', index: 3 }).success).toBe(true);
    expect(panelMessageSchema.safeParse({ type: 'selected', index: -1 }).success).toBe(false);
    expect(panelMessageSchema.safeParse({ type: 'run', command: 'rm' }).success).toBe(false);
    expect(panelStateSchema.safeParse({ traceDir: '', select: null, tab: '', picture: '' }).success).toBe(false);
  });
});

describe('the command in the terminal', () => {
  it('starts the command line with the editor’s own Node, with any characters in its path', () => {
    const [sh, cmd] = launchers("/opt/it's/node", '/ext 100%/cli.js');
    expect(sh?.text).toBe(`#!/bin/sh\nELECTRON_RUN_AS_NODE=1 exec '/opt/it'\\''s/node' '/ext 100%/cli.js' "$@"\n`);
    expect(cmd?.text).toContain(`"/opt/it's/node" "/ext 100%%/cli.js" %*`);
  });
});

it('notes new modes and the targets of links beside changed files', () => {
  const [before, after] = ['a'.repeat(64), 'b'.repeat(64)];
  const [file, executable, link] = ['100644', '100755', '120000'];
  const changes = [
    { path: 'mode', kind: 'changed', before, after: before, before_mode: file, after_mode: executable },
    { path: 'lines', kind: 'changed', before, after, before_mode: file, after_mode: file },
    { path: 'new', kind: 'added', after, after_mode: executable },
    { path: 'link', kind: 'added', after, after_mode: link, target: '../lib' },
    { path: 'was', kind: 'changed', before, after, before_mode: link, after_mode: file },
    { path: 'old', kind: 'changed', before, after },
  ];
  const [step] = linesOf(...ASKS_SUB_AGENT);
  if (step === undefined) throw new Error('no step');
  const [shown] = presentSteps([{ ...step, info: { changes } }], {
    address: String,
    lineOf: () => null,
    pinned: false,
  });
  expect(shown?.changes?.map(({ path, readable, note }) => [path, readable, note])).toEqual([
    ['mode', false, 'mode 644 → 755'],
    ['lines', true, undefined],
    ['new', true, 'mode 755'],
    ['link', true, '→ ../lib'],
    ['was', true, 'was a link'],
    ['old', true, undefined],
  ]);
});

it('shows the warnings of a run, but not that it has no reward, which the panel says itself', () => {
  const warning =
    'the agent gets no files of submodules\nThe run has no reward: the task has no evaluate call, and its environment returns no reward.';
  const record = { run_id: 'r', grade: { reward: null, subscores: [], info: { warning } }, reward: null, error: null };
  const run: ReadableRun = {
    ...{ runId: 'r', traceDir: '/jobs/r', task: task({ evaluate: [] }), prompt: '', agent: 'noop', seed: 0 },
    ...{ runtime: 'local', startedAt: '2026-01-01T00:00:00Z', status: 'completed' },
    record: record as unknown as RunRecord,
    steps: async () => [],
    step: async () => undefined,
  };
  const { verdict } = presentRun(run, [], { address: String, lineOf: () => null, pinned: false });
  expect(verdict?.warnings).toEqual(['the agent gets no files of submodules']);
});
