import type { Target } from '../../../actions/normal.ts';
import { differenceOf } from '../../../functions/differences.ts';
import { list, quote } from '../../../functions/words.ts';
import {
  type ActionContext,
  type ActionOf,
  actOnElement,
  attempt,
  holdKeys,
  PAGE,
  readValue,
  recordElement,
  type TimeLeft,
  tryInPage,
} from './action-context.ts';
import type { TargetElement } from './elements.ts';
import { ActionError } from './failures.ts';
import { hasFixedForm, type ListOption, listOptions } from './in-page/describe.ts';
import { tryFill, tryFocus, trySelect } from './in-page/immediate-actions.ts';
import { keyDown, keyPress, keyUp } from './keyboard.ts';

export async function type(action: ActionOf<'type'> | ActionOf<'insert'>, context: ActionContext): Promise<void> {
  const { outcome } = context;
  const { keyboard } = context.tab.page;
  outcome.acted = { ...outcome.acted, text: action.text };
  // Long texts need more time, because each keystroke takes a few milliseconds.
  const spare = 500 + 25 * action.text.length;
  const run = (): Promise<void> =>
    action.type === 'insert' ? keyboard.insertText(action.text) : keyboard.type(action.text);
  await actOnFocused(context, run, spare);
  if (action.type === 'type' && action.enter) await attempt(PAGE, context, () => keyboard.press('Enter'));
}

/** Runs an action on the focused element, and reads its value afterwards. */
async function actOnFocused(context: ActionContext, run: () => Promise<void>, spare?: number): Promise<void> {
  const { outcome } = context;
  // If the element cannot be read, it is not recorded. The keyboard itself reports whether the keys arrive.
  const element = await context.elements.findFocused().catch(() => null);
  if (element) await recordElement({ element, subject: 'the element in focus' }, context);
  await attempt(PAGE, context, run, spare);
  outcome.value = element ? await readValue(element, context.limits) : null;
  outcome.typed = outcome.value;
  element?.dispose();
}

export async function fill(action: ActionOf<'fill'>, context: ActionContext): Promise<void> {
  const { text } = action;
  const { outcome } = context;
  outcome.acted = { ...outcome.acted, text };
  await actOnElement(action.target, context, async (targetElement, timeLeft) => {
    const { element, subject } = targetElement;
    if (action.menu) {
      const handle = await element.handle();
      const characters = [...text];
      await handle.fill(characters.slice(0, -1).join(''), { timeout: timeLeft() });
      if (text !== '') await handle.type(characters.at(-1) ?? '', { timeout: timeLeft() });
    } else await fillField(targetElement, text, context, timeLeft);
    outcome.value = await readValue(element, context.limits);
    outcome.typed = outcome.value;
    if (text.trim() !== '' && outcome.typed === '' && (await element.call(hasFixedForm, null))) {
      throw new ActionError(
        'malformed_value',
        `${subject} does not take ${quote(text)}: dates are YYYY-MM-DD, times HH:MM, colours #rrggbb`,
      );
    }
  });
}

async function fillField(
  targetElement: TargetElement,
  text: string,
  context: ActionContext,
  timeLeft: TimeLeft,
): Promise<void> {
  const { keyboard } = context.tab.page;
  const now = await tryInPage(targetElement, context, tryFill, text);
  if (now === null) {
    const handle = await targetElement.element.handle();
    await handle.fill(text, { timeout: timeLeft() });
  } else if (now === 'selected') await (text === '' ? keyboard.press('Delete') : keyboard.insertText(text));
}

/** Gives an element the focus. */
export async function focus(target: Target, context: ActionContext): Promise<void> {
  await actOnElement(target, context, async (targetElement) => {
    if ((await tryInPage(targetElement, context, tryFocus, null)) === null)
      await (await targetElement.element.handle()).focus();
  });
}

const TYPING_KEYS = new Set(['Backspace', 'Delete', 'Space']);

export async function press(action: ActionOf<'press'>, context: ActionContext): Promise<void> {
  const { outcome } = context;
  if (action.target) await focus(action.target, context);
  const [only] = action.keys;
  const types = action.keys.length === 1 && only !== undefined && ([...only].length === 1 || TYPING_KEYS.has(only));
  const run = (): Promise<void> => pressAll(context, action.keys);
  if (types || !action.target) {
    const before = outcome.acted;
    await actOnFocused(context, run);
    if (!types) outcome.typed = null;
    if (action.target) outcome.acted = before;
  } else await attempt(PAGE, context, run);
}

export async function hold(action: ActionOf<'key'>, context: ActionContext): Promise<void> {
  const { outcome } = context;
  const run = async (): Promise<void> => {
    for (const key of action.keys) await (action.state === 'down' ? keyDown : keyUp)(context.tab, key);
  };
  const types = action.keys.some((key) => [...key].length === 1);
  if (!types) return attempt(PAGE, context, run);
  const before = outcome.acted;
  await actOnFocused(context, run);
  outcome.acted = before;
  outcome.typed = null;
}

async function pressAll(context: ActionContext, keys: readonly string[]): Promise<void> {
  const last = keys.at(-1);
  if (last === undefined) return;
  await holdKeys(context, keys.slice(0, -1), () => keyPress(context.tab, last));
}

export async function select(action: ActionOf<'select'>, context: ActionContext): Promise<void> {
  const { outcome } = context;
  outcome.acted = { ...outcome.acted, text: action.options.join(', ') };
  await actOnElement(action.target, context, async (targetElement, timeLeft) => {
    const { element, subject } = targetElement;
    if ((await tryInPage(targetElement, context, trySelect, action.options)) !== null) return;
    const options = await element.call(listOptions, null);
    if (options !== null) checkOptions(options, action.options, subject);
    const handle = await element.handle();
    await handle.selectOption([...action.options], { timeout: timeLeft() });
  });
}

/** Throws if a list has no option of a name, or if all of this name are disabled: a user would not wait for them. */
function checkOptions(options: readonly ListOption[], names: readonly string[], subject: string): void {
  const named = (name: string): readonly ListOption[] =>
    options.filter(({ value, label, text }) => [value, label, text].includes(name));
  const missing = names.filter((name) => named(name).length === 0);
  if (missing.length > 0) {
    const there = options.slice(0, 20).map(({ text, label }) => quote(text || label));
    throw new ActionError(
      'option_missing',
      `${subject} has no option ${list(missing.map(quote))}; there ${there.length === 1 ? 'is' : 'are'} ${list(there) || 'none'}${lookAlike(missing, options)}`,
    );
  }
  const disabled = names.filter((name) => named(name).every(({ isDisabled }) => isDisabled));
  if (disabled.length > 0) {
    const verb = disabled.length === 1 ? 'is' : 'are';
    throw new ActionError('option_disabled', `${list(disabled.map(quote))} in ${subject} ${verb} disabled`);
  }
}

/** How the first option differs that looks like a missing one: `: character 4 is U+00A0 NO-BREAK SPACE, expected a space`. */
function lookAlike(missing: readonly string[], options: readonly ListOption[]): string {
  const differences = missing.flatMap((name) => options.map(({ text, label }) => differenceOf(name, text || label)));
  const first = differences.find((difference) => difference !== '');
  return first === undefined ? '' : `: ${first}`;
}

/** Browsers replace an invalid type with the empty string, their type of files with unknown endings; Playwright does not. */
const NO_TYPE = '\0';

export async function upload(action: ActionOf<'upload'>, context: ActionContext): Promise<void> {
  await actOnElement(action.target, context, async ({ element, subject }, timeLeft) => {
    const handle = await element.handle();
    const timeout = timeLeft();
    const [chooser] = await Promise.all([
      // A missing file chooser is reported below.
      context.tab.page.waitForEvent('filechooser', { timeout }).catch(() => null),
      handle.click({ timeout }),
    ]);
    if (!chooser) throw new ActionError('no_file_chooser', `${subject} does not ask for a file`);
    const { mime } = await import('playwright-core/lib/utilsBundle');
    const payload: { name: string; mimeType: string; buffer: Buffer }[] = [];
    for (const path of action.files) {
      const file = await context.files.upload(path);
      if ('refusal' in file) throw new ActionError('upload_refused', file.refusal);
      payload.push({ name: file.name, mimeType: mime.getType(file.name) ?? NO_TYPE, buffer: file.body });
    }
    if (payload.length > 1 && !chooser.isMultiple()) {
      throw new ActionError('one_file_only', `${subject} takes one file, not ${payload.length}`);
    }
    await chooser.setFiles(payload, { timeout: timeLeft() });
  });
}
