import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Range } from '../../../src/base/range.ts';
import { afterEdit, lineText, matchCalls, outcomeOf, valueLine } from '../../../src/presentation/runs/call-tracking.ts';
import type { Call } from '../../../src/tasks/task.ts';
import type { Step } from '../../../src/traces/trace.ts';

const range = (startLine: number, start: number, endLine: number, end: number): Range => ({
  start: { line: startLine, character: start },
  end: { line: endLine, character: end },
});

const call = (name: string, args: Call['args'], line: number): Call => ({
  function: name,
  args,
  range: range(line, 4, line, 40),
});

const step = (fields: Partial<Step>): Step => ({
  index: 0,
  source: 'evaluate',
  started_at: '2026-01-01T00:00:00.000Z',
  duration_ms: 84.4,
  observation: null,
  reward: null,
  terminated: false,
  info: {},
  error: null,
  ...fields,
});

describe('the value of a call while the text is edited', () => {
  const here = range(5, 4, 5, 20);

  it('moves down when lines are added above', () => {
    expect(afterEdit(here, { range: range(1, 0, 1, 0), text: 'one\ntwo\n' })).toEqual(range(7, 4, 7, 20));
  });

  it('moves up when lines above are removed', () => {
    expect(afterEdit(here, { range: range(1, 0, 3, 0), text: '' })).toEqual(range(3, 4, 3, 20));
  });

  it('moves along its line when something before it on that line changes', () => {
    expect(afterEdit(here, { range: range(5, 0, 5, 4), text: '\t' })).toEqual(range(5, 1, 5, 17));
  });

  it('moves with the line break that is typed right before it', () => {
    expect(afterEdit(here, { range: range(5, 4, 5, 4), text: '\n  ' })).toEqual(range(6, 2, 6, 18));
  });

  it('does not move when text after it changes', () => {
    expect(afterEdit(here, { range: range(5, 20, 5, 20), text: ',' })).toEqual(here);
    expect(afterEdit(here, { range: range(9, 0, 12, 0), text: '' })).toEqual(here);
  });

  it('loses its value when an edit changes it', () => {
    expect(afterEdit(here, { range: range(5, 10, 5, 11), text: 'x' })).toBeNull();
    expect(afterEdit(here, { range: range(4, 0, 5, 5), text: '' })).toBeNull();
    expect(afterEdit(here, { range: range(0, 0, 99, 0), text: '' })).toBeNull();
  });

  it('covers the same text until it is lost', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 40 });
    const texts = fc.tuple(text, text, text);
    fc.assert(
      // The text before the span, the span and the text after it; and where the edit lies.
      fc.property(texts, fc.nat(120), fc.nat(20), text, ([before, span, after], start, length, inserted) => {
        const whole = before + span + after;
        const [cut, cutEnd] = [Math.min(start, whole.length), Math.min(start + length, whole.length)];
        const [from, to] = [before.length, before.length + span.length];
        const kept = afterEdit(rangeIn(whole, from, to), { range: rangeIn(whole, cut, cutEnd), text: inserted });
        const edited = whole.slice(0, cut) + inserted + whole.slice(cutEnd);
        if (kept === null) expect(cut < to && cutEnd > from).toBe(true);
        else expect(textIn(edited, kept)).toBe(span);
      }),
    );
  });
});

describe('matching the calls of a run with the current task', () => {
  const ran = [call('goto', ['a.html'], 2), call('click', ['#ok'], 3), call('click', ['#ok'], 4)];

  it('finds unchanged calls', () => {
    expect(matchCalls(ran, ran)).toEqual(ran.map((one) => one.range));
  });

  it('matches the other calls after one is edited', () => {
    const now = [ran[0], call('click', ['#no'], 3), ran[2]] as Call[];
    expect(matchCalls(ran, now)).toEqual([ran[0]?.range, null, ran[2]?.range]);
  });

  it('finds calls that moved after an insertion', () => {
    const [goto, click] = ran as [Call, Call];
    const now = [call('goto', ['new.html'], 2), call('goto', ['a.html'], 3), call('click', ['#ok'], 4)];
    expect(matchCalls([goto, click], now)).toEqual([now[1]?.range, now[2]?.range]);
  });

  it('finds a call whose secret is masked in the run, and no other', () => {
    const maskedCalls = [call('typed', ['#p', '<secret>password</secret>'], 3), call('typed', ['#q', '********'], 4)];
    const now = [call('typed', ['#p', 'hunter22'], 3), call('typed', ['#r', 'hunter22'], 4)];
    expect(matchCalls(maskedCalls, now)).toEqual([now[0]?.range, null]);
  });
});

describe('the inline value of a call', () => {
  const said = (fields: Partial<Step>): string => lineText(outcomeOf(step(fields)));

  it('shows the duration of a setup call', () => {
    expect(said({ source: 'setup' })).toBe('✓ 84 ms');
  });

  it('shows only the mark of a passed call, and its reason on hover', () => {
    expect(said({ reward: 1, info: { reason: 'it is there' } })).toBe('✓');
  });

  it('shows the reason of a failed call', () => {
    expect(said({ reward: 0, info: { reason: 'not on the page' } })).toBe('✗ not on the page');
    expect(said({ reward: 2 / 3, info: { reason: '2 of 3' } })).toBe('◐ 0.67 2 of 3');
  });

  it('shows code without backticks', () => {
    expect(said({ reward: 0, info: { reason: 'no element matches `#a`' } })).toBe('✗ no element matches #a');
    expect(said({ error: { message: '`a` threw', code: 'call_threw' } })).toBe('✗ a threw');
  });

  it('shows the error of a call on one line', () => {
    expect(said({ error: { message: 'x is\nnot a function', code: 'call_threw' } })).toBe('✗ x is not a function');
  });

  it('is on the line with the function if a call spans several lines', () => {
    const lines = ['{', '  "function": "page_contains",', '  "args": ["Order placed"]', '}'];
    const at = (line: number): string => lines[line] ?? '';
    expect(valueLine(range(0, 0, 3, 1), 'page_contains', at)).toBe(1);
    expect(valueLine(range(0, 0, 3, 1), 'elsewhere', at)).toBe(0);
  });
});

function rangeIn(text: string, from: number, to: number): Range {
  const at = (offset: number): Range['start'] => {
    const before = text.slice(0, offset).split('\n');
    return { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
  };
  return { start: at(from), end: at(to) };
}

function textIn(text: string, { start, end }: Range): string {
  const offset = ({ line, character }: Range['start']): number =>
    text
      .split('\n')
      .slice(0, line)
      .reduce((sum, one) => sum + one.length + 1, character);
  return text.slice(offset(start), offset(end));
}
