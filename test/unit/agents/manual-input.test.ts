import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ManualInput, type ManualRequest } from '../../../src/agents/manual-input.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const unasked = async (): Promise<null> => null;
const click = {
  kind: 'click',
  point: { x: 10, y: 20 },
  button: 'left',
  count: 1,
  hold: [],
} as const satisfies ManualRequest;

/** Everything that comes within ten seconds. */
async function all(manualInput: ManualInput): Promise<ManualRequest[]> {
  const stop = new AbortController();
  const come: ManualRequest[] = [];
  const taking = (async () => {
    for (;;) come.push(await manualInput.next(stop.signal));
  })().catch(() => {});
  await vi.advanceTimersByTimeAsync(10_000);
  stop.abort();
  await taking;
  return come;
}

function type(manualInput: ManualInput, text: string): void {
  for (const letter of text) manualInput.push({ kind: 'text', text: letter });
}

describe('input in the live picture', () => {
  it('merges consecutive typing', async () => {
    const manualInput = new ManualInput(unasked);
    type(manualInput, 'Ada Lovelace');
    expect(manualInput.typing).toBe('Ada Lovelace');
    expect(await all(manualInput)).toEqual([{ kind: 'text', text: 'Ada Lovelace' }]);
    expect(manualInput.typing).toBe('');
  });

  it('ends typing at a pause', async () => {
    const manualInput = new ManualInput(unasked);
    const first = manualInput.next(new AbortController().signal);
    type(manualInput, 'Ad');
    await vi.advanceTimersByTimeAsync(300);
    type(manualInput, 'a');
    await vi.advanceTimersByTimeAsync(300);
    expect(manualInput.typing).toBe('Ada');
    await vi.advanceTimersByTimeAsync(200);
    expect(await first).toEqual({ kind: 'text', text: 'Ada' });
    type(manualInput, '!');
    expect(await all(manualInput)).toEqual([{ kind: 'text', text: '!' }]);
  });

  it('ends typing at once if other input follows', async () => {
    const manualInput = new ManualInput(unasked);
    const { signal } = new AbortController();
    type(manualInput, 'Ada');
    manualInput.push({ kind: 'key', keys: ['Enter'] });
    expect(await manualInput.next(signal)).toEqual({ kind: 'text', text: 'Ada' });
    expect(await manualInput.next(signal)).toEqual({ kind: 'key', keys: ['Enter'] });
  });

  it('deletes whole characters of pending text with Backspace', async () => {
    const manualInput = new ManualInput(unasked);
    type(manualInput, 'Adx');
    manualInput.push({ kind: 'key', keys: ['Backspace'] });
    type(manualInput, 'a');
    manualInput.push({ kind: 'text', text: '👩🏽‍💻' });
    manualInput.push({ kind: 'key', keys: ['Backspace'] });
    expect(await all(manualInput)).toEqual([{ kind: 'text', text: 'Ada' }]);
  });

  it('passes Backspace to the page if no text is pending', async () => {
    const manualInput = new ManualInput(unasked);
    type(manualInput, 'x');
    for (let i = 0; i < 2; i += 1) manualInput.push({ kind: 'key', keys: ['Backspace'] });
    expect(await all(manualInput)).toEqual([{ kind: 'key', keys: ['Backspace'] }]);
  });

  it('merges consecutive scrolling', async () => {
    const manualInput = new ManualInput(unasked);
    for (let i = 0; i < 3; i += 1) manualInput.push({ kind: 'scroll', point: { x: 1, y: 2 }, x: 0, y: 120, hold: [] });
    manualInput.push(click);
    expect(await all(manualInput)).toEqual([{ kind: 'scroll', point: { x: 1, y: 2 }, x: 0, y: 360, hold: [] }, click]);
  });

  it('shows dots for what goes to a password field', () => {
    const manualInput = new ManualInput(unasked);
    manualInput.typesSecret = true;
    type(manualInput, 'hunter2');
    expect(manualInput.typing).toBe('•••••••');
  });

  it('does not queue the repeats of a key that is held down', async () => {
    const manualInput = new ManualInput(unasked);
    for (let i = 0; i < 100; i += 1) manualInput.push({ kind: 'key', keys: ['ArrowDown'] });
    manualInput.push(click);
    expect(await all(manualInput)).toHaveLength(5);
  });

  it('keeps its order, and does not wait after the run was stopped', async () => {
    const manualInput = new ManualInput(unasked);
    manualInput.push(click);
    manualInput.push({ kind: 'action', action: "response('42')" });
    manualInput.push({ kind: 'done' });
    expect((await all(manualInput)).map(({ kind }) => kind)).toEqual(['click', 'action', 'done']);
    const stop = new AbortController();
    const next = manualInput.next(stop.signal);
    stop.abort(new Error('stopped'));
    await expect(next).rejects.toThrow('stopped');
  });
});
