import type { Target } from '../../../actions/normal.ts';
import { list, quote } from '../../../functions/words.ts';
import {
  type ActionOf,
  atOnce,
  attempt,
  type Deed,
  holding,
  KEYBOARD,
  onElement,
  readValue,
  remember,
  type Stage,
} from './action-context.ts';
import { hasFixedForm, optionsOf } from './describe.ts';
import type { Found } from './elements.ts';
import { ActionError } from './failures.ts';
import { keyDown, keyPress, keyUp } from './keyboard.ts';
import { choosable, fillable, focusable } from './ready-element.ts';

export async function type(action: ActionOf<'type'> | ActionOf<'insert'>, stage: Stage, deed: Deed): Promise<void> {
  const { keyboard } = stage.tab.page;
  deed.acted = { ...deed.acted, text: action.text };
  // Long texts take their time: a keystroke costs a few milliseconds.
  const spare = 500 + 25 * action.text.length;
  const run = (): Promise<void> =>
    action.type === 'insert' ? keyboard.insertText(action.text) : keyboard.type(action.text);
  await onFocused(stage, deed, run, spare);
  if (action.type === 'type' && action.enter) await attempt(KEYBOARD, stage, () => keyboard.press('Enter'));
}

/** Runs what goes to the element that has the focus, and reads the value that it left there. */
async function onFocused(stage: Stage, deed: Deed, run: () => Promise<void>, spare?: number): Promise<void> {
  // What cannot be asked is not remembered; whether the keys arrive is for the keyboard itself to say.
  const element = await stage.elements.focused().catch(() => null);
  if (element) await remember({ element, subject: 'the element in focus' }, stage, deed);
  await attempt(KEYBOARD, stage, run, spare);
  deed.value = element ? await readValue(element) : null;
  deed.typed = deed.value;
  element?.dispose();
}

export async function fill(action: ActionOf<'fill'>, stage: Stage, deed: Deed): Promise<void> {
  const timeout = stage.limits.action;
  const { text } = action;
  deed.acted = { ...deed.acted, text };
  await onElement(action.target, stage, deed, async (found) => {
    const { element, subject } = found;
    if (action.menu) {
      const handle = await element.handle();
      const characters = [...text];
      await handle.fill(characters.slice(0, -1).join(''), { timeout });
      if (text !== '') await handle.type(characters.at(-1) ?? '', { timeout });
    } else await fillAlone(found, text, stage);
    deed.value = await readValue(element);
    deed.typed = deed.value;
    if (text.trim() !== '' && deed.typed === '' && (await element.call(hasFixedForm, null))) {
      throw new ActionError(
        'malformed_value',
        `${subject} does not take ${quote(text)}: dates are YYYY-MM-DD, times HH:MM, colours #rrggbb`,
      );
    }
  });
}

async function fillAlone(found: Found, text: string, stage: Stage): Promise<void> {
  const { keyboard } = stage.tab.page;
  const now = await atOnce(found, stage, fillable, text);
  if (now === null) await (await found.element.handle()).fill(text, { timeout: stage.limits.action });
  else if (now === 'selected') await (text === '' ? keyboard.press('Delete') : keyboard.insertText(text));
}

/** Gives an element the focus. */
export async function focus(target: Target, stage: Stage, deed: Deed): Promise<void> {
  await onElement(target, stage, deed, async (found) => {
    if ((await atOnce(found, stage, focusable, null)) === null) await (await found.element.handle()).focus();
  });
}

const TYPING_KEYS = new Set(['Backspace', 'Delete', 'Space']);

export async function press(action: ActionOf<'press'>, stage: Stage, deed: Deed): Promise<void> {
  if (action.target) await focus(action.target, stage, deed);
  const [only] = action.keys;
  const types = action.keys.length === 1 && only !== undefined && ([...only].length === 1 || TYPING_KEYS.has(only));
  const run = (): Promise<void> => pressAll(stage, action.keys);
  if (types || !action.target) {
    const before = deed.acted;
    await onFocused(stage, deed, run);
    if (!types) deed.typed = null;
    if (action.target) deed.acted = before;
  } else await attempt(KEYBOARD, stage, run);
}

export async function hold(action: ActionOf<'key'>, stage: Stage, deed: Deed): Promise<void> {
  const run = async (): Promise<void> => {
    for (const key of action.keys) await (action.state === 'down' ? keyDown : keyUp)(stage.tab, key);
  };
  const types = action.keys.some((key) => [...key].length === 1);
  if (!types) return attempt(KEYBOARD, stage, run);
  const before = deed.acted;
  await onFocused(stage, deed, run);
  deed.acted = before;
  deed.typed = null;
}

async function pressAll(stage: Stage, keys: readonly string[]): Promise<void> {
  const last = keys.at(-1);
  if (last === undefined) return;
  await holding(stage, keys.slice(0, -1), () => keyPress(stage.tab, last));
}

export async function select(action: ActionOf<'select'>, stage: Stage, deed: Deed): Promise<void> {
  deed.acted = { ...deed.acted, text: action.options.join(', ') };
  await onElement(action.target, stage, deed, async (found) => {
    const { element, subject } = found;
    if ((await atOnce(found, stage, choosable, action.options)) !== null) return;
    const options = await element.call(optionsOf, null);
    const missing = options
      ? action.options.filter(
          (wanted) => !options.some(({ value, label, text }) => [value, label, text].includes(wanted)),
        )
      : [];
    if (options && missing.length > 0) {
      const there = options.slice(0, 20).map(({ text, label }) => quote(text || label));
      throw new ActionError(
        'option_missing',
        `${subject} has no option ${list(missing.map(quote))}; there ${there.length === 1 ? 'is' : 'are'} ${list(there) || 'none'}`,
      );
    }
    await (await element.handle()).selectOption([...action.options], { timeout: stage.limits.action });
  });
}

export async function upload(action: ActionOf<'upload'>, stage: Stage, deed: Deed): Promise<void> {
  await onElement(action.target, stage, deed, async ({ element, subject }) => {
    const timeout = stage.limits.action;
    const handle = await element.handle();
    const [chooser] = await Promise.all([
      // No chooser is an answer, said below.
      stage.tab.page.waitForEvent('filechooser', { timeout }).catch(() => null),
      handle.click({ timeout }),
    ]);
    if (!chooser) throw new ActionError('no_file_chooser', `${subject} does not ask for a file`);
    const payload: { name: string; mimeType: string; buffer: Buffer }[] = [];
    for (const path of action.files) {
      const file = await stage.files.upload(path);
      if ('refused' in file) throw new ActionError('upload_refused', file.refused);
      payload.push({ name: file.name, mimeType: 'application/octet-stream', buffer: file.body });
    }
    if (payload.length > 1 && !chooser.isMultiple()) {
      throw new ActionError('one_file_only', `${subject} takes one file, not ${payload.length}`);
    }
    await chooser.setFiles(payload, { timeout });
  });
}
