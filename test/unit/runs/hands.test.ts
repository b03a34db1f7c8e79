import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Hands, type HandWish } from '../../../src/runs/agents/manual/manual-input.ts';

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
} as const satisfies HandWish;

/** Everything that comes within ten seconds. */
async function all(hands: Hands): Promise<HandWish[]> {
  const stop = new AbortController();
  const come: HandWish[] = [];
  const taking = (async () => {
    for (;;) come.push(await hands.next(stop.signal));
  })().catch(() => {});
  await vi.advanceTimersByTimeAsync(10_000);
  stop.abort();
  await taking;
  return come;
}

function type(hands: Hands, text: string): void {
  for (const letter of text) hands.push({ kind: 'text', text: letter });
}

describe('what is done in the live picture', () => {
  it('is typing in one piece', async () => {
    const hands = new Hands(unasked);
    type(hands, 'Ada Lovelace');
    expect(hands.typing).toBe('Ada Lovelace');
    expect(await all(hands)).toEqual([{ kind: 'text', text: 'Ada Lovelace' }]);
    expect(hands.typing).toBe('');
  });

  it('is typing until the person pauses', async () => {
    const hands = new Hands(unasked);
    const first = hands.next(new AbortController().signal);
    type(hands, 'Ad');
    await vi.advanceTimersByTimeAsync(300);
    type(hands, 'a');
    await vi.advanceTimersByTimeAsync(300);
    expect(hands.typing).toBe('Ada');
    await vi.advanceTimersByTimeAsync(200);
    expect(await first).toEqual({ kind: 'text', text: 'Ada' });
    type(hands, '!');
    expect(await all(hands)).toEqual([{ kind: 'text', text: '!' }]);
  });

  it('ends typing at once where something else follows', async () => {
    const hands = new Hands(unasked);
    const { signal } = new AbortController();
    type(hands, 'Ada');
    hands.push({ kind: 'key', keys: ['Enter'] });
    expect(await hands.next(signal)).toEqual({ kind: 'text', text: 'Ada' });
    expect(await hands.next(signal)).toEqual({ kind: 'key', keys: ['Enter'] });
  });

  it('takes back what was just mistyped, whole characters of it', async () => {
    const hands = new Hands(unasked);
    type(hands, 'Adx');
    hands.push({ kind: 'key', keys: ['Backspace'] });
    type(hands, 'a');
    hands.push({ kind: 'text', text: '👩🏽‍💻' });
    hands.push({ kind: 'key', keys: ['Backspace'] });
    expect(await all(hands)).toEqual([{ kind: 'text', text: 'Ada' }]);
  });

  it('is Backspace in the page where nothing waits', async () => {
    const hands = new Hands(unasked);
    type(hands, 'x');
    for (let i = 0; i < 2; i += 1) hands.push({ kind: 'key', keys: ['Backspace'] });
    expect(await all(hands)).toEqual([{ kind: 'key', keys: ['Backspace'] }]);
  });

  it('is one turn of the wheel until it rests', async () => {
    const hands = new Hands(unasked);
    for (let i = 0; i < 3; i += 1) hands.push({ kind: 'scroll', point: { x: 1, y: 2 }, x: 0, y: 120, hold: [] });
    hands.push(click);
    expect(await all(hands)).toEqual([{ kind: 'scroll', point: { x: 1, y: 2 }, x: 0, y: 360, hold: [] }, click]);
  });

  it('shows dots for what goes to a password field', () => {
    const hands = new Hands(unasked);
    hands.typesSecret = true;
    type(hands, 'hunter2');
    expect(hands.typing).toBe('•••••••');
  });

  it('does not pile up a key that is held down', async () => {
    const hands = new Hands(unasked);
    for (let i = 0; i < 100; i += 1) hands.push({ kind: 'key', keys: ['ArrowDown'] });
    hands.push(click);
    expect(await all(hands)).toHaveLength(5);
  });

  it('comes in its order, and waits for nobody after the run was stopped', async () => {
    const hands = new Hands(unasked);
    hands.push(click);
    hands.push({ kind: 'action', action: "response('42')" });
    hands.push({ kind: 'done' });
    expect((await all(hands)).map(({ kind }) => kind)).toEqual(['click', 'action', 'done']);
    const stop = new AbortController();
    const next = hands.next(stop.signal);
    stop.abort(new Error('stopped'));
    await expect(next).rejects.toThrow('stopped');
  });
});
