import type { ElementHandle } from 'playwright-core';
import type { MouseButton, NormalAction, Target } from '../../actions/normal.ts';
import { printAction } from '../../actions/print.ts';
import { list, quote } from '../../functions/words.ts';
import type { Acted } from '../environment.ts';
import { resolveAddress } from './addresses.ts';
import { fieldValue, hasFixedForm, scrollEnd } from './describe.ts';
import type { Elements, Found, Remembered } from './elements.ts';
import { ActionError, explain, explainNavigation } from './failures.ts';
import { type Limits, within } from './limits.ts';
import type { PageFiles } from './page-files.ts';
import type { Tab } from './tab.ts';

/** What an action needs beside itself. */
export interface Stage {
  readonly tab: Tab;
  readonly elements: Elements;
  readonly files: PageFiles;
  readonly limits: Limits;
  /** Selectors that evaluate calls will ask for. */
  readonly selectors: readonly string[];
  /** Ends waiting when the environment closes. */
  readonly closed: AbortSignal;
  /** Makes a tab, brings one to the front, closes the active one. */
  openTab(): Promise<void>;
  focusTab(index: number): Promise<void>;
  closeTab(): Promise<void>;
}

/** What one action did, filled in while it runs, so that a failure leaves what is known. */
export interface Deed {
  acted: Acted;
  remembered: Remembered | null;
  typed: string | null;
  response: string | null;
  terminated: boolean;
}

type ActionOf<T extends NormalAction['type']> = Extract<NormalAction, { type: T }>;

const LONGEST_WAIT = 600_000;

export function newDeed(action: NormalAction): Deed {
  return { acted: { action: printAction(action) }, remembered: null, typed: null, response: null, terminated: false };
}

/** Executes one action. Throws an `ActionError` in plain words where it fails. */
export async function act(action: NormalAction, stage: Stage, deed: Deed): Promise<void> {
  const { page } = stage.tab;
  switch (action.type) {
    case 'click':
      return holding(stage, action.hold, () => click(action, stage, deed));
    case 'move':
      return move(action, stage, deed);
    case 'mouse':
      await touch(stage, deed, action.point);
      await moveTo(stage, action.point);
      return attempt(MOUSE, stage, () => page.mouse[action.state]({ button: sideless(action.button) }));
    case 'scroll':
      return holding(stage, action.hold, () => scroll(action, stage, deed));
    case 'drag':
      return holding(stage, action.hold, () => drag(action, stage, deed));
    case 'type':
    case 'insert':
      return type(action, stage, deed);
    case 'fill':
      return fill(action, stage, deed);
    case 'press':
      return press(action, stage, deed);
    case 'key':
      for (const key of action.keys) {
        await attempt(KEYBOARD, stage, () =>
          action.state === 'down' ? page.keyboard.down(key) : page.keyboard.up(key),
        );
      }
      return;
    case 'select':
      return select(action, stage, deed);
    case 'check':
      return onElement(action.target, stage, deed, (found) =>
        found.handle.setChecked(action.checked, { timeout: stage.limits.action }),
      );
    case 'focus':
      return onElement(action.target, stage, deed, (found) => found.handle.focus());
    case 'upload':
      return upload(action, stage, deed);
    case 'goto':
      return goto(action.url, stage);
    case 'history':
      return history(action.delta, stage);
    case 'tab':
      if (action.do === 'focus') return stage.focusTab(action.index);
      return action.do === 'new' ? stage.openTab() : stage.closeTab();
    case 'wait':
      return wait(action.ms, stage.closed);
    case 'response':
      deed.response = action.text;
      return;
    case 'infeasible':
      deed.terminated = true;
      return;
    case 'screenshot':
      return;
    case 'position':
      deed.acted = { ...deed.acted, point: { ...stage.tab.mouse } };
      return;
    case 'custom':
      throw new ActionError('unknown_action', `there is no custom action \`${action.action}\` in this environment`);
  }
}

/** Runs with keys held down, and releases them whatever happens. */
async function holding(stage: Stage, keys: readonly string[], run: () => Promise<void>): Promise<void> {
  const { keyboard } = stage.tab.page;
  const held: string[] = [];
  try {
    for (const key of keys) {
      await attempt(KEYBOARD, stage, () => keyboard.down(key));
      held.push(key);
    }
    await run();
  } finally {
    for (const key of held.reverse()) await attempt(KEYBOARD, stage, () => keyboard.up(key));
  }
}

/**
 * Runs one step of an action and says in plain words why it failed. A page that hangs answers nothing, not even the
 * mouse: `spare` is what the step may take beyond the limit of an element action, in milliseconds.
 */
async function attempt<T>(subject: string, stage: Stage, run: () => Promise<T>, spare = 500): Promise<T> {
  try {
    return await within(stage.limits.action + spare, subject, run());
  } catch (error) {
    throw explain(error, subject, stage.limits.action);
  }
}

const MOUSE = 'the page';
const KEYBOARD = 'the page';

/** Finds the element of a target, remembers it, and runs an action on it. An element that was replaced is found anew. */
async function onElement(
  target: Target,
  stage: Stage,
  deed: Deed,
  run: (found: Found) => Promise<unknown>,
): Promise<void> {
  const deadline = Date.now() + stage.limits.action;
  for (;;) {
    const found = await findTarget(target, stage);
    // Asked for first, so it is read before the action has done anything; the action need not wait for the answer.
    const remembering = remember(found, stage, deed);
    try {
      await attempt(found.subject, stage, () => run(found));
      return;
    } catch (error) {
      const again = error instanceof ActionError && error.code === 'element_gone' && found.bid === undefined;
      if (!again || Date.now() > deadline) throw error;
    } finally {
      await remembering;
      found.handle.dispose().catch(() => undefined);
    }
  }
}

async function findTarget(target: Target, stage: Stage): Promise<Found> {
  if ('ref' in target) return stage.elements.find(target.ref);
  const { x, y } = target.point;
  const handle = await stage.elements.at(x, y);
  if (!handle) throw new ActionError('element_missing', `there is no element at (${x}, ${y})`);
  return { handle, subject: `the element at (${x}, ${y})` };
}

async function remember(found: Found, stage: Stage, deed: Deed): Promise<void> {
  const remembered = await stage.elements.remember(found.handle, stage.selectors);
  if (!remembered) return;
  const { box, facts } = remembered;
  deed.remembered = remembered;
  deed.acted = {
    ...deed.acted,
    point: { x: box.x + box.width / 2, y: box.y + box.height / 2 },
    box,
    element: facts.label,
    ...(found.bid === undefined ? {} : { bid: found.bid }),
  };
}

/** Remembers what is at a point, before something happens there. */
async function touch(stage: Stage, deed: Deed, point: { x: number; y: number }): Promise<void> {
  deed.acted = { ...deed.acted, point: { x: point.x, y: point.y } };
  try {
    const handle = await stage.elements.at(point.x, point.y);
    if (!handle) return;
    const remembered = await stage.elements.remember(handle, stage.selectors);
    handle.dispose().catch(() => undefined);
    if (!remembered) return;
    deed.remembered = remembered;
    deed.acted = { ...deed.acted, box: remembered.box, element: remembered.facts.label };
  } catch {
    // A page that is being replaced has nothing at the point to remember; the mouse works all the same.
  }
}

async function moveTo(stage: Stage, point: { x: number; y: number }, steps = 1): Promise<void> {
  await attempt(MOUSE, stage, () => stage.tab.page.mouse.move(point.x, point.y, { steps }));
  stage.tab.mouse = { x: point.x, y: point.y };
}

function sideless(button: MouseButton): 'left' | 'right' | 'middle' {
  return button === 'back' || button === 'forward' ? 'left' : button;
}

async function click(action: ActionOf<'click'>, stage: Stage, deed: Deed): Promise<void> {
  const { page } = stage.tab;
  const { target, delays } = action;
  if (action.button === 'back' || action.button === 'forward') {
    return history(action.button === 'back' ? -1 : 1, stage);
  }
  const button = action.button;
  const more = async (): Promise<void> => {
    for (const [index, delay] of delays.entries()) {
      await wait(delay, stage.closed);
      const clickCount = index + 2;
      await attempt(MOUSE, stage, () => page.mouse.down({ button, clickCount }));
      await attempt(MOUSE, stage, () => page.mouse.up({ button, clickCount }));
    }
  };
  if (target && 'ref' in target) {
    const timeout = stage.limits.action;
    const twice = delays.length === 1 && delays[0] === 0;
    await onElement(target, stage, deed, async ({ handle }) => {
      if (twice) await handle.dblclick({ button, timeout, noWaitAfter: true });
      else await handle.click({ button, timeout, noWaitAfter: true });
    });
    if (deed.acted.point) stage.tab.mouse = { ...deed.acted.point };
    if (!twice) await more();
    return;
  }
  const point = target && 'point' in target ? target.point : stage.tab.mouse;
  await touch(stage, deed, point);
  await moveTo(stage, point);
  await attempt(MOUSE, stage, () => page.mouse.down({ button }));
  await attempt(MOUSE, stage, () => page.mouse.up({ button }));
  await more();
}

async function move(action: ActionOf<'move'>, stage: Stage, deed: Deed): Promise<void> {
  const { target, offset } = action;
  if (target && 'ref' in target) {
    await onElement(target, stage, deed, ({ handle }) => handle.hover({ timeout: stage.limits.action }));
    if (deed.acted.point) stage.tab.mouse = { ...deed.acted.point };
    if (!offset) return;
  }
  const from = target && 'point' in target ? target.point : stage.tab.mouse;
  const point = { x: from.x + (offset?.x ?? 0), y: from.y + (offset?.y ?? 0) };
  await touch(stage, deed, point);
  await moveTo(stage, point);
}

async function scroll(action: ActionOf<'scroll'>, stage: Stage, deed: Deed): Promise<void> {
  const { page } = stage.tab;
  const { target } = action;
  if (target && 'ref' in target) {
    await onElement(target, stage, deed, ({ handle }) => handle.hover({ timeout: stage.limits.action }));
    if (deed.acted.point) stage.tab.mouse = { ...deed.acted.point };
  } else if (target) {
    await touch(stage, deed, target.point);
    await moveTo(stage, target.point);
  }
  deed.acted = { point: { ...stage.tab.mouse }, ...deed.acted, scroll: { x: action.x, y: action.y } };
  await attempt(MOUSE, stage, () => page.mouse.wheel(action.x, action.y));
  // The wheel is answered before the page has moved; a page that goes away does not move any more.
  await within(1000, 'scrolling', page.evaluate(scrollEnd, 600)).catch(() => undefined);
}

async function drag(action: ActionOf<'drag'>, stage: Stage, deed: Deed): Promise<void> {
  const { page } = stage.tab;
  let down = false;
  try {
    for (const [index, target] of action.path.entries()) {
      if (index > 0) await wait(action.delays[index - 1] ?? 0, stage.closed);
      const first = index === 0;
      const ignored = first ? deed : newDeed(action);
      if ('ref' in target) {
        await onElement(target, stage, ignored, ({ handle }) =>
          handle.hover({ timeout: stage.limits.action, force: !first }),
        );
        if (ignored.acted.point) stage.tab.mouse = { ...ignored.acted.point };
      } else {
        if (first) await touch(stage, deed, target.point);
        await moveTo(stage, target.point, first ? 1 : 4);
      }
      if (first) {
        await attempt(MOUSE, stage, () => page.mouse.down());
        down = true;
      }
    }
  } finally {
    if (down) await attempt(MOUSE, stage, () => page.mouse.up());
  }
}

async function type(action: ActionOf<'type'> | ActionOf<'insert'>, stage: Stage, deed: Deed): Promise<void> {
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
  const handle = await stage.elements.focused().catch(() => null);
  if (handle) await remember({ handle, subject: 'the element in focus' }, stage, deed);
  await attempt(KEYBOARD, stage, run, spare);
  deed.typed = handle ? await readValue(handle) : null;
  handle?.dispose().catch(() => undefined);
}

async function readValue(handle: ElementHandle<Element>): Promise<string | null> {
  try {
    return await within(1000, 'the field', handle.evaluate(fieldValue));
  } catch {
    return null; // The page was left by what was typed.
  }
}

async function fill(action: ActionOf<'fill'>, stage: Stage, deed: Deed): Promise<void> {
  const timeout = stage.limits.action;
  const { text } = action;
  deed.acted = { ...deed.acted, text };
  await onElement(action.target, stage, deed, async ({ handle, subject }) => {
    if (action.menu) {
      await handle.fill(text.slice(0, -1), { timeout });
      if (text !== '') await handle.type(text.slice(-1), { timeout });
    } else await handle.fill(text, { timeout });
    deed.typed = await readValue(handle);
    if (text.trim() !== '' && deed.typed === '' && (await handle.evaluate(hasFixedForm))) {
      throw new ActionError(
        'malformed_value',
        `${subject} does not take ${quote(text)}: dates are YYYY-MM-DD, times HH:MM, colours #rrggbb`,
      );
    }
  });
}

const TYPING_KEYS = new Set(['Backspace', 'Delete', 'Space']);

async function press(action: ActionOf<'press'>, stage: Stage, deed: Deed): Promise<void> {
  const { keyboard } = stage.tab.page;
  if (action.target) await onElement(action.target, stage, deed, ({ handle }) => handle.focus());
  const [only] = action.keys;
  const types = action.keys.length === 1 && only !== undefined && ([...only].length === 1 || TYPING_KEYS.has(only));
  const run = (): Promise<void> => pressAll(stage, action.keys, keyboard);
  if (types || !action.target) {
    const before = deed.acted;
    await onFocused(stage, deed, run);
    if (!types) deed.typed = null;
    if (action.target) deed.acted = before;
  } else await attempt(KEYBOARD, stage, run);
}

async function pressAll(
  stage: Stage,
  keys: readonly string[],
  keyboard: { down(key: string): Promise<void>; up(key: string): Promise<void>; press(key: string): Promise<void> },
): Promise<void> {
  const last = keys.at(-1);
  if (last === undefined) return;
  await holding(stage, keys.slice(0, -1), () => keyboard.press(last));
}

async function select(action: ActionOf<'select'>, stage: Stage, deed: Deed): Promise<void> {
  deed.acted = { ...deed.acted, text: action.options.join(', ') };
  await onElement(action.target, stage, deed, async ({ handle, subject }) => {
    const options = await handle.evaluate((element) =>
      element instanceof HTMLSelectElement
        ? Array.from(element.options, (option) => ({
            value: option.value,
            label: option.label,
            text: option.text.trim(),
          }))
        : null,
    );
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
    await handle.selectOption([...action.options], { timeout: stage.limits.action });
  });
}

async function upload(action: ActionOf<'upload'>, stage: Stage, deed: Deed): Promise<void> {
  const payload: { name: string; mimeType: string; buffer: Buffer }[] = [];
  for (const path of action.files) {
    const file = await stage.files.upload(path);
    if ('refused' in file) throw new ActionError('upload_refused', file.refused);
    payload.push({ name: file.name, mimeType: 'application/octet-stream', buffer: file.body });
  }
  await onElement(action.target, stage, deed, async ({ handle, subject }) => {
    const timeout = stage.limits.action;
    const [chooser] = await Promise.all([
      stage.tab.page.waitForEvent('filechooser', { timeout }).catch(() => null),
      handle.click({ timeout }),
    ]);
    if (!chooser) throw new ActionError('no_file_chooser', `${subject} does not ask for a file`);
    if (payload.length > 1 && !chooser.isMultiple()) {
      throw new ActionError('one_file_only', `${subject} takes one file, not ${payload.length}`);
    }
    await chooser.setFiles(payload, { timeout });
  });
}

async function goto(url: string, stage: Stage): Promise<void> {
  const address = await resolveAddress(url, stage.files, stage.tab.page.url());
  if ('refused' in address) throw new ActionError(address.code, address.refused);
  await openAddress(stage.tab, address.url, stage.limits);
}

/** Opens an address in a tab until its document and shortly what it needs are there; what never comes is stopped and said. */
export async function openAddress(tab: Tab, url: string, limits: Limits): Promise<void> {
  const before = tab.documents;
  try {
    await tab.page.goto(url, { waitUntil: 'domcontentloaded', timeout: limits.navigation });
    await tab.settle(limits);
  } catch (error) {
    const answered = tab.documents > before;
    if (!answered) await tab.stopLoading();
    throw explainNavigation(error, url, limits.navigation, answered);
  }
}

async function history(delta: -1 | 1, stage: Stage): Promise<void> {
  const { tab, limits } = stage;
  const { currentIndex, entries } = await tab.cdp.send('Page.getNavigationHistory');
  const entry = entries[currentIndex + delta];
  const way = delta < 0 ? 'back' : 'forward';
  if (!entry) throw new ActionError('no_history', `there is no page to go ${way} to`);
  const options = { waitUntil: 'domcontentloaded', timeout: limits.navigation } as const;
  try {
    await (delta < 0 ? tab.page.goBack(options) : tab.page.goForward(options));
  } catch (error) {
    await tab.stopLoading();
    throw explainNavigation(error, entry.url, limits.navigation, false);
  }
}

/** Waits; ends early when the environment closes. */
async function wait(ms: number, closed: AbortSignal): Promise<void> {
  if (!(ms >= 0) || ms > LONGEST_WAIT) {
    throw new ActionError('invalid_action', 'a wait takes 0 to 600000 milliseconds');
  }
  if (ms === 0 || closed.aborted) return;
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      closed.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    closed.addEventListener('abort', end);
  });
}
