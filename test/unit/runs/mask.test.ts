import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UNNAMED } from '../../../src/functions/masked.ts';
import type { RunEvent } from '../../../src/runs/events.ts';
import { Mask } from '../../../src/runs/masking/mask.ts';
import { runTask } from '../../../src/runs/run/runner.ts';
import type { Task } from '../../../src/tasks/task.ts';
import { openRun } from '../../../src/traces/store.ts';
import type { RunRecord, Step } from '../../../src/traces/trace.ts';
import { type FakeAnswers, FakePlacement, seen, verdict } from './fake-placement.ts';
import { call, fileIn, task, temporaryFolder } from './tasks.ts';

const SECRET = 'hunter2 & "co"';

const hex = (character: string): string => (character.codePointAt(0) ?? 0).toString(16);
const base64 = (text: string): string => Buffer.from(text).toString('base64');

function masked(values: Record<string, string>, text: string): string {
  return Mask.of(task({ sensitive_data: { 'shop.example': values } }), false)?.text(text) ?? text;
}

describe('a mask', () => {
  it('is created for a task with sensitive data, or on request', () => {
    expect(Mask.of(task(), false)).toBeNull();
    expect(Mask.of(task(), true)).not.toBeNull();
    expect(Mask.of(task({ sensitive_data: { a: { b: 'c' } } }), false)).not.toBeNull();
  });

  it.each([
    ['as it is', `so: ${SECRET}.`],
    ['in an address', `/login?p=${encodeURIComponent(SECRET)}&q`],
    ['in a form', `p=${encodeURIComponent(SECRET).replaceAll('%20', '+')}`],
    ['in JSON', JSON.stringify({ p: SECRET })],
    ['in HTML', '<b>hunter2 &amp; &quot;co&quot;</b>'],
    ['twice', SECRET + SECRET],
  ])('takes a secret out, %s', (_, text) => {
    const said = masked({ password: SECRET }, text);
    expect(said).not.toContain('hunter2');
    expect(said).toContain('<secret>password</secret>');
  });

  it.each([
    ['the address of a page', (secret: string) => new URL(`http://shop.example/?p=${secret}`).href],
    ['the address of a sent form', (secret: string) => new URLSearchParams({ p: secret }).toString()],
    [
      'an address in lower case',
      (secret: string) => encodeURIComponent(secret).replace(/%../g, (x) => x.toLowerCase()),
    ],
    ['HTML with numbers', (secret: string) => secret.replace(/\W/gu, (c) => `&#${c.codePointAt(0)};`)],
    ['HTML with hexadecimal numbers', (secret: string) => secret.replace(/\W/gu, (c) => `&#x${hex(c)};`)],
    [
      'JSON in ASCII',
      (secret: string) => JSON.stringify(secret).replace(/[^ -~]/g, (c) => `\\u${hex(c).padStart(4, '0')}`),
    ],
    ['JSON in JSON in JSON', (secret: string) => JSON.stringify(JSON.stringify(JSON.stringify({ p: secret })))],
    ['Base64', (secret: string) => base64(secret)],
    ['Base64 after a byte', (secret: string) => base64(`:${secret}:`)],
    ['Base64 after two bytes', (secret: string) => base64(`u:${secret}`)],
    ['Base64 of addresses', (secret: string) => Buffer.from(secret).toString('base64url')],
  ])('takes every secret out of %s', (_, write) => {
    for (const secret of ["hunter2~it's(1)!*", 'grüße & "co" \\ <😀>', 'of/it?a=b#c%20d', '>>>???~~~ÿÿÿ']) {
      const known =
        /^before (http:\/\/shop.example\/\?p=|p=|[\\"{]*p[\\":]*|"|\w{1,2})?<secret>password<\/secret>\W*\w{0,2}\W* after$/;
      expect(masked({ password: secret }, `before ${write(secret)} after`)).toMatch(known);
    }
  });

  it('reads long rows of escapes in little time', () => {
    const text = `"${'\\'.repeat(200_000)}"`;
    expect(masked({ password: 'a"\\"\\\\"b' }, text)).toBe(text);
  });

  it.each([
    ['pin 12, year 2012', 'pin <secret>pin</secret>, year 2012'],
    ['{"text":"pin\\n12"}', '{"text":"pin\\n<secret>pin</secret>"}'],
    ['?q=pin%2012&year=2012', '?q=pin%20<secret>pin</secret>&year=2012'],
  ])('masks short secrets only as whole words: %s', (text, expected) => {
    expect(masked({ pin: '12' }, text)).toBe(expected);
  });

  it('masks a short secret at the beginning of a line of a recorded page, and why there is no page', () => {
    const mask = Mask.of(task({ sensitive_data: { a: { pin: '12' } } }), false);
    const document = { url: '', doctype: null, quirks: false, children: ['your pin:\n12'] };
    const page = { url: '', title: '', cookies: [], names: [], gaps: [], document, frames: [] };
    const line = JSON.stringify({ index: 0, page });
    expect(mask?.pages(line)).toContain('\\n<secret>pin</secret>');
    const recorded = { page: Buffer.from(JSON.stringify(page)), resources: {}, actions: [], missing: 'pin 12' };
    const step = mask?.step({ ...stepWith('', 'fill'), recorded });
    expect(Buffer.from(step?.recorded?.page ?? []).toString()).toContain('\\n<secret>pin</secret>');
    expect(step?.recorded?.missing).toBe('pin <secret>pin</secret>');
  });

  it('masks a longer secret before a shorter one in it', () => {
    expect(masked({ a: 'abcd', b: 'abcdefgh' }, 'xabcdefghx')).toBe('x<secret>b</secret>x');
  });

  it('does not mask placeholders again, even if a name is a secret', () => {
    const once = masked({ password: 'password', secret: 'secret' }, 'password secret');
    expect(once).toBe('<secret>password</secret> <secret>secret</secret>');
    expect(masked({ password: 'password', secret: 'secret' }, once)).toBe(once);
  });

  it('removes a secret from every part of a step', () => {
    const mask = Mask.of(task(), true);
    mask?.addTyped([SECRET]);
    fc.assert(
      fc.property(
        fc.string(),
        fc.string(),
        fc.constantFrom('fill', 'keyboard_type', 'response'),
        (before, after, verb) => {
          const text = before + SECRET + after;
          const step = mask?.step(stepWith(text, verb));
          expect(JSON.stringify(step)).not.toContain('hunter2 &');
        },
      ),
    );
  });

  it('rewrites an action that spells a secret in another way', () => {
    const mask = Mask.of(task(), true);
    mask?.addTyped(['hunter22']);
    const action = String.raw`fill('#p', '\x68unter22')`;
    expect(mask?.step({ ...stepWith('', 'fill'), action }).action).toBe("fill('#p', '<secret>…</secret>')");
  });

  it('masks single keys only in the step that pressed them in a password field', () => {
    const mask = Mask.of(task(), true);
    const step = { ...stepWith('h', 'fill'), action: "press('#p', 'h')" };
    expect(mask?.step(step, ['h']).action).toBe("press('#p', '<secret>…</secret>')");
    expect(mask?.step(step).action).toBe("press('#p', 'h')");
    expect(mask?.step({ ...step, action: { type: 'press', keys: ['shift', 'h'] } }, ['h']).action).toEqual({
      type: 'press',
      keys: ['shift', '<secret>…</secret>'],
    });
  });

  it.each([
    ["press('#p', 'h')", "press('#p', '…')", "press('#p', 'h')"],
    ["press('#p', 'h')", "press('#p', '…')", String.raw`press("#p", "\x68")`],
    ["press('#p', 'h')", "press('#p', '…')", ["click('#p')\npress('#p', 'h')", "press('#p', 'Enter')"]],
    ["keyboard_press('Shift+h')", "keyboard_press('Shift+…')", "keyboard_press('Shift+h')"],
    ["keyboard_press('h')", "keyboard_press('…')", { type: 'press', keys: ['h'] }],
    ["keyboard_down('h')", "keyboard_down('…')", { type: 'keydown', keys: ['h'] }],
    ["fill('[title=\"h\"]', 'h')", "fill('[title=\"h\"]', '…')", "fill('[title=\"h\"]', 'h')"],
  ])('masks %s, but no other h, in reasons', (quoted, masked, action) => {
    const mask = Mask.of(task(), true);
    expect(mask?.addTyped(['h', 'gh'], action)).toBe(true);
    expect(mask?.addTyped(['h', 'gh'], action)).toBe(false);
    const said = (text: string): string => `h “h”, ${text} and press('#q', 'h') in [${JSON.stringify(text)}]`;
    const known = masked.replace('…', UNNAMED);
    expect(mask?.text(`h “h”, ${quoted} and press('#q', 'h')`)).toBe(`h “h”, ${known} and press('#q', 'h')`);
    expect(mask?.text(said(known))).toBe(said(known));
    expect(mask?.text(JSON.stringify([{ action: quoted }]))).toBe(`[{"action":"${known}"}]`);
  });

  it('masks the quote of a field with a single character', () => {
    const mask = Mask.of(task(), true);
    mask?.addTyped(['h', 'h'], "press('#p', 'h')");
    mask?.addTyped(['u', 'hu'], "press('#p', 'u')");
    expect(mask?.text('it left “h” and “hu”, not “u” or h')).toBe(
      'it left “<secret>…</secret>” and “<secret>…</secret>”, not “u” or h',
    );
  });

  it('keeps an action on another field with the text of a masked one', () => {
    const mask = Mask.of(task(), true);
    const action = "keyboard_press('h')";
    mask?.addTyped(['h'], action);
    const recorded = {
      page: null,
      missing: 'x',
      resources: {},
      actions: [{ input: action, normalised: null, error: null, typed: 'h', element: null }],
    };
    const other = { ...stepWith('', 'fill'), action, info: { acted: [{ action }], note: action }, recorded };
    const masked = { ...other, info: { acted: [{ action }], note: "keyboard_press('<secret>…</secret>')" } };
    expect(mask?.step(other)).toEqual(masked);
    expect(mask?.overwriting.step(other)).toEqual({ ...masked, info: { acted: [{ action }], note: '*'.repeat(19) } });
    const line = JSON.stringify({ index: 0, actions: recorded.actions });
    expect(mask?.pages(line)).toBe(line);
  });

  it('shows the next action without the typed text', () => {
    const mask = Mask.of(task(), true);
    const said = mask?.doing([
      "fill('#p', 'hunter22')\npress('#p', 'x')",
      { type: 'type', text: 'hunter22' },
      'oh hunter22',
    ]);
    expect(said).toContain("fill('#p', '…')");
    expect(said).not.toMatch(/hunter22|'x'/);
  });
});

function stepWith(text: string, verb: string): Step {
  return {
    index: 0,
    source: 'agent',
    started_at: '2026-01-01T00:00:00.000Z',
    duration_ms: 1,
    action: [verb === 'fill' ? `fill('#p', ${JSON.stringify(text)})` : { type: 'type', text }],
    observation: { text, screenshot: null },
    reward: null,
    terminated: false,
    info: {
      acted: [{ action: 'fill', text }],
      url: `http://x/?${encodeURIComponent(text.replace(/\p{Surrogate}/gu, ''))}`,
      deep: [{ text }],
    },
    error: { message: text, code: 'x' },
  };
}

interface Outcome {
  readonly record: RunRecord;
  readonly steps: readonly Step[];
  readonly told: string;
  readonly disk: string;
  readonly events: readonly RunEvent[];
}

async function run(of: { task: Partial<Task>; lines: string; answers: FakeAnswers; mask?: boolean }): Promise<Outcome> {
  const out = await temporaryFolder();
  const agent = `replay:${await fileIn(out, 'agent.actions', of.lines)}`;
  const placement = new FakePlacement(of.answers);
  const events: RunEvent[] = [];
  const record = await runTask(
    {
      task: task(of.task),
      agent,
      seed: 0,
      jobId: 'job',
      groupId: 'g',
      runId: 'run',
      out,
      cwd: out,
      ...(of.mask === undefined ? {} : { mask: of.mask }),
    },
    placement,
    (event) => {
      events.push(event);
      if (event.type === 'doing')
        placement.say({ event: 'log', session: 's1', level: 'info', text: `log of ${of.lines}` });
    },
    new AbortController().signal,
  );
  const folder = join(out, 'job', 'run');
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const texts = await Promise.all(files.map((entry) => readFile(join(entry.parentPath, entry.name), 'latin1')));
  const told = JSON.stringify(events.filter(({ type }) => type !== 'frame'));
  return { record, steps: await (await openRun(folder)).steps(), told, disk: texts.join('\n'), events };
}

describe('a masked run', () => {
  it('passes the real value to the environment, and records it nowhere', async () => {
    const given: unknown[] = [];
    const { record, steps, told, disk } = await run({
      task: {
        prompt: 'Log in with hunter22.',
        sensitive_data: { 'shop.example': { password: 'hunter22' } },
        setup: [call('goto', ['/?p=hunter22'])],
        evaluate: [call('verify_type_action', ['#p', 'hunter22'])],
      },
      lines: "fill('#p', 'hunter22')\nresponse('hunter22')",
      answers: {
        step: ({ actions }) => {
          given.push(...actions);
          return seen('you typed hunter22', {
            info: { response: 'hunter22', url: 'http://x/hunter22' },
            error: { message: 'no hunter22', code: 'x' },
          });
        },
        evaluate: () => verdict(1, 'it is hunter22'),
      },
    });
    expect(given).toContain("fill('#p', 'hunter22')");
    expect(told).not.toContain('hunter22');
    expect(disk).not.toContain('hunter22');
    expect(record).toMatchObject({
      reward: 1,
      prompt: 'Log in with <secret>password</secret>.',
      grade: { content: '<secret>password</secret>' },
    });
    expect(steps[1]?.action).toBe("fill('#p', '<secret>password</secret>')");
    expect(steps[1]?.observation?.text).toBe('you typed <secret>password</secret>');
  });

  it('removes a typed password from earlier records', async () => {
    const { told, disk, events, record, steps } = await run({
      mask: true,
      task: { prompt: 'Log in with hunter22.', evaluate: [call('verify_type_action', ['#p', 'hunter22'])] },
      lines: "click('#hunter22')\nfill('#p', 'hunter22')",
      answers: {
        step: (_, count) => (count === 1 ? seen('hint: hunter22') : seen('hunter22', { secrets: ['hunter22'] })),
        evaluate: () => verdict(0, 'not hunter22'),
      },
    });
    expect(disk).not.toContain('hunter22');
    // What was told before is told anew.
    const hidden = events.findIndex(({ type }) => type === 'hidden');
    expect(JSON.stringify(events.slice(hidden))).not.toContain('hunter22');
    expect(events[hidden]).toMatchObject({ header: { prompt: 'Log in with ********.' }, steps: { length: 2 } });
    expect(told).toContain('hunter22');
    expect(record.prompt).toBe('Log in with <secret>…</secret>.');
    expect(steps.map(({ action }) => action)).toEqual([
      undefined,
      "click('#********')",
      "fill('#p', '<secret>…</secret>')",
      undefined,
    ]);
  });

  it('masks keys pressed one by one where a reason, an error, or the task quotes them', async () => {
    const said = "press('#p', 'h') and press('#p', 'u'), then press('#q', 'u')";
    const { disk, events, record, steps } = await run({
      mask: true,
      task: { evaluate: [call('raw_last_action_is', ["press('#p', 'u')"]), call('mine')] },
      lines: "press('#q', 'u')\npress('#p', 'h')\npress('#p', 'u')",
      answers: {
        step: (_, count) => seen('x', [{}, { secrets: ['h', 'h'] }, { secrets: ['u', 'hu'] }][count - 1]),
        evaluate: ({ function: name }) =>
          name !== 'mine'
            ? verdict(0, said)
            : { error: { message: said, code: 'call_threw', stack: said }, duration_ms: 1 },
      },
    });
    const masked = "press('#p', '<secret>…</secret>') and press('#p', '<secret>…</secret>'), then press('#q', 'u')";
    const from = events.findLastIndex(({ type }) => type === 'hidden');
    expect(disk + JSON.stringify(events.slice(from))).not.toMatch(/'#p', '[hu]'/);
    expect(steps[1]?.action).toBe("press('#q', 'u')");
    expect(steps.find(({ source }) => source === 'evaluate')?.info['reason']).toBe(masked);
    expect(record.error?.message).toContain(masked);
  });

  it('masks a number in a call that is a secret, and keeps function names', async () => {
    const { disk, steps } = await run({
      mask: true,
      task: { evaluate: [call('is_goto', [4711, { pin: 4711.5 }])], setup: [call('goto', ['4711'])] },
      lines: "fill('#p', '4711')\nfill('#p', 'goto')",
      answers: {
        step: ({ actions }) => seen('x', { secrets: [JSON.stringify(actions).includes('4711') ? '4711' : 'goto'] }),
      },
    });
    expect(disk).not.toContain('4711');
    expect(steps[0]?.call).toMatchObject({ function: 'goto', args: ['****'] });
    expect(steps.at(-1)?.call).toMatchObject({
      function: 'is_goto',
      args: ['<secret>…</secret>', { pin: '<secret>…</secret>.5' }],
    });
  });

  it('records typed text unchanged if masking is off', async () => {
    const { disk } = await run({
      task: {},
      lines: "fill('#p', 'hunter22')",
      answers: { step: () => seen('x', { secrets: ['hunter22'] }) },
    });
    expect(disk).toContain('hunter22');
    expect(disk).not.toContain('secrets');
  });

  it('masks the error of a call that contains the secret', async () => {
    const { disk, told, record } = await run({
      task: { sensitive_data: { s: { p: 'hunter22' } }, evaluate: [call('page_contains', ['hunter22'])] },
      lines: '',
      answers: {
        evaluate: () => ({
          error: { message: 'hunter22 broke', code: 'call_threw', stack: 'at hunter22' },
          duration_ms: 1,
        }),
      },
    });
    expect(disk + told).not.toContain('hunter22');
    expect(record.error?.message).toContain('<secret>p</secret> broke');
  });
});
