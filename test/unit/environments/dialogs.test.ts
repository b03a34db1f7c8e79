import { EventEmitter } from 'node:events';
import type { BrowserContext } from 'playwright-core';
import { expect, it, vi } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import { Messages } from '../../../src/environments/browser/observing/messages.ts';
import { Dialogs } from '../../../src/environments/browser/pages/dialogs.ts';
import type { Tab } from '../../../src/environments/browser/pages/tab.ts';
import { task } from '../runs/tasks.ts';

/** A context with one page, whose dialogs say how they were answered. */
function pageOf(dialogs: Json | undefined, env: { type: string } = { type: 'hud-browser' }, isRead = true) {
  const context = new EventEmitter();
  const page = Object.assign(new EventEmitter(), { isClosed: (): boolean => false, url: () => 'http://shop/' });
  const messages = new Messages();
  const own = new Dialogs(context as unknown as BrowserContext, messages, 1000);
  const tab = { page, isOpeningDocument: false };
  if (isRead) own.add(tab as unknown as Tab);
  own.attend(task({ env, metadata: dialogs === undefined ? {} : { dialogs } }));
  const open = (type: string, message = 'sure?', defaultValue = '') => {
    const answer = vi.fn<(how: string, text?: string) => void>();
    const closeAs = async (how: string, text?: string): Promise<void> => {
      answer(...([how, text].slice(0, text === undefined ? 1 : 2) as [string, string?]));
      context.emit('dialogclosed', dialog);
    };
    const dialog = {
      type: () => type,
      message: () => message,
      defaultValue: () => defaultValue,
      page: () => page,
      accept: (text?: string) => closeAs('accept', text),
      dismiss: () => closeAs('dismiss'),
    };
    context.emit('dialog', dialog);
    page.emit('dialog', dialog);
    return answer;
  };
  return { context, dialogs: own, messages, open, page, tab };
}

it.each([
  ['hud-browser', undefined, 'ask', 'ask', 'accept'],
  ['hud-browser', 'ask', 'ask', 'ask', 'accept'],
  ['hud-browser', 'accept', 'accept', 'accept', 'accept'],
  ['hud-browser', 'dismiss', 'dismiss', 'dismiss', 'dismiss'],
  ['hud-browser', 'yes', 'ask', 'ask', 'accept'],
  ['hud', undefined, 'ask', 'ask', 'accept'],
  ['browsergym', undefined, 'dismiss', 'dismiss', 'accept'],
  ['browsergym', 'ask', 'dismiss', 'dismiss', 'accept'],
  ['browsergym', 'accept', 'accept', 'accept', 'accept'],
])('in %s with %s: confirm %s, prompt %s, alert %s', (type, dialogs, ...expected) => {
  for (const [index, kind] of ['confirm', 'prompt', 'alert'].entries()) {
    const page = pageOf(dialogs, { type });
    const answer = page.open(kind);
    const how = answer.mock.calls[0]?.[0] ?? 'ask';
    expect(how).toBe(expected[index]);
    expect(page.dialogs.current).toEqual(how === 'ask' ? { type: kind, message: 'sure?' } : null);
  }
  // A page may not prevent leaving it.
  expect(pageOf(dialogs, { type }).open('beforeunload').mock.calls[0]?.[0]).toBe('accept');
});

it('asks nobody while a document loads, while a call runs, and for a page that is not read yet', async () => {
  const loading = pageOf(undefined);
  loading.tab.isOpeningDocument = true;
  expect(loading.open('confirm').mock.calls).toEqual([['dismiss']]);

  const other = pageOf(undefined);
  const before = other.open('confirm');
  const end = await other.dialogs.leave();
  expect(before.mock.calls).toEqual([['dismiss']]);
  expect(other.open('confirm').mock.calls).toEqual([['dismiss']]);
  end();
  expect(other.open('confirm')).not.toHaveBeenCalled();

  expect(pageOf(undefined, undefined, false).open('confirm').mock.calls).toEqual([['dismiss']]);
});

it('answers a prompt with a text, or with the one in its field', async () => {
  const page = pageOf(undefined);
  const first = page.open('prompt', 'How many?', '1');
  expect(page.dialogs.current).toEqual({ type: 'prompt', message: 'How many?', default_value: '1' });
  expect(await page.dialogs.answer(true, null)).toBe(true);
  expect(first.mock.calls).toEqual([['accept', '1']]);
  const second = page.open('prompt', 'How many?', '1');
  expect(await page.dialogs.answer(true, '')).toBe(true);
  expect(second.mock.calls).toEqual([['accept', '']]);
  expect(page.messages.take().map(({ text }) => text)).toEqual(Array(2).fill('prompt “How many?” was accepted'));
  expect(await page.dialogs.answer(true, null)).toBe(false);
});

it('shows the oldest dialog first, and forgets those that something else has closed', async () => {
  const page = pageOf(undefined);
  page.open('confirm', 'one');
  page.open('confirm', 'two');
  expect(page.dialogs.current?.message).toBe('one');
  await page.dialogs.answer(false, null);
  expect(page.dialogs.current?.message).toBe('two');
  page.page.isClosed = () => true;
  expect(page.dialogs.current).toBeNull();
});

it('interrupts work when a dialog opens, and waits for it after the answer', async () => {
  const page = pageOf(undefined);
  const done: string[] = [];
  const work = Promise.withResolvers<void>();
  const interruption = page.dialogs.unlessOpened(work.promise.then(() => done.push('work')));
  page.open('confirm');
  expect(await interruption).toBeNull();
  const answering = page.dialogs.answer(true, null).then(() => done.push('answer'));
  work.resolve();
  await answering;
  expect(done).toEqual(['work', 'answer']);
  expect(await page.dialogs.unlessOpened(Promise.resolve(7))).toEqual({ value: 7 });
  await expect(page.dialogs.unlessOpened(Promise.reject(new Error('no')))).rejects.toThrow('no');
});

it('leaves a dialog to a listener of a function, unless it does not answer', async () => {
  vi.useFakeTimers();
  const page = pageOf(undefined);
  page.page.once('dialog', (dialog: { accept(text: string): Promise<void> }) => void dialog.accept('Ada'));
  expect(page.open('prompt').mock.calls).toEqual([['accept', 'Ada']]);
  vi.advanceTimersByTime(5000);
  expect(page.dialogs.current).toBeNull();
  expect(page.messages.take().map(({ text }) => text)).toEqual([
    'prompt “sure?” was answered by a function of the task',
  ]);

  page.page.on('dialog', () => {});
  const answer = page.open('confirm');
  expect(page.dialogs.current).toBeNull();
  vi.advanceTimersByTime(5000);
  expect(page.dialogs.current?.message).toBe('sure?');
  expect(answer).not.toHaveBeenCalled();
  vi.useRealTimers();
});
