import type { ActionInput, Point } from '../../../actions/action.ts';
import type { NormalAction } from '../../../actions/normal.ts';
import { printAction } from '../../../actions/print.ts';
import type { Pointed } from '../../../environments/environment.ts';
import { actionDialect } from '../../../environments/kinds.ts';
import type { EnvironmentSpec } from '../../../tasks/task.ts';
import type { Agent, Sight } from '../agent.ts';
import type { AskPerson, HandInput, HandQuestion, Hands, HeldKey } from './manual-input.ts';

/** What an action by hand is made with. */
export interface Handwork {
  /** What stands at a point of the page, or (null) has the focus. */
  readonly pointed: (point: Point | null) => Promise<Pointed | null>;
  readonly ask: (question: HandQuestion) => ReturnType<AskPerson>;
  /** The environment reads BrowserGym's functions only, which mean elements by their ids. */
  readonly browsergym: boolean;
}

/** The person in front of the live picture. What they do is said as any agent would say it. */
export function manualAgent(hands: Hands, env: EnvironmentSpec): Agent {
  let sight: Sight | null = null;
  return {
    meet(given) {
      sight = given;
    },
    async act(_turn, signal) {
      const work: Handwork = {
        pointed: async (point) => (await sight?.pointed(point, signal)) ?? null,
        ask: (question) => hands.ask(question, signal),
        browsergym: actionDialect(env).dialect === 'browsergym',
      };
      hands.typesSecret = (await work.pointed(null))?.secret === true;
      for (;;) {
        const wish = await hands.next(signal);
        if (wish.kind === 'done') return null;
        const action = wish.kind === 'action' ? wish.action : await actionByHand(wish, work);
        if (action === null) continue;
        // Where the keys go is known again after the action.
        if (wish.kind !== 'text') hands.typesSecret = true;
        return action;
      }
    },
    close: async () => {},
  };
}

/**
 * The action that does what a person did: on the element that was pointed at, named so that it is found again, where a
 * click on its middle means the same; else at the point. Null where the person left a question about it.
 */
export async function actionByHand(input: HandInput, work: Handwork): Promise<ActionInput | null> {
  switch (input.kind) {
    case 'text':
      return printAction({ type: 'type', text: input.text, enter: false });
    case 'key':
      return printAction({ type: 'press', target: null, keys: input.keys });
    case 'scroll':
      return scrollByHand(input, work);
    case 'drag':
      return dragByHand(input, work);
    case 'click':
      return clickByHand(input, work);
  }
}

type InputOf<K extends HandInput['kind']> = Extract<HandInput, { kind: K }>;

async function clickByHand(input: InputOf<'click'>, work: Handwork): Promise<ActionInput | null> {
  const { point, button, count, hold } = input;
  const pointed = await work.pointed(point);
  const ref = nameOf(pointed, work);
  if (pointed !== null && ref !== null && button === 'left' && count === 1 && hold.length === 0 && pointed.asks) {
    return answered(pointed, ref, work);
  }
  const delays = Array.from({ length: count - 1 }, () => 0);
  const printed = (target: { ref: string } | { point: Point }): string =>
    printAction({ type: 'click', target, button, delays, hold });
  if (pointed?.steady === true && ref !== null && count <= 2) return printed({ ref });
  const place = seen(point, pointed);
  // What an action string cannot say of a point.
  if (count > 2 || hold.length > 0)
    return { type: 'click', point: place, button, pattern: delays, hold_keys: held(hold) };
  return printed({ point: place });
}

/** What the person chose in place of what the browser would have opened. */
async function answered(pointed: Pointed, ref: string, { ask }: Handwork): Promise<ActionInput | null> {
  const { label, asks } = pointed;
  if (asks === null) return null;
  const answers = await ask({ label, ...asks });
  const [first] = answers ?? [];
  if (answers === null || (first === undefined && asks.kind !== 'select')) return null;
  const target = { ref };
  if (asks.kind === 'select') return printAction({ type: 'select', target, options: answers });
  if (asks.kind === 'file') return printAction({ type: 'upload', target, files: answers });
  return printAction({ type: 'fill', target, text: first ?? '', menu: false });
}

async function scrollByHand({ point, x, y, hold }: InputOf<'scroll'>, work: Handwork): Promise<ActionInput> {
  const pointed = work.browsergym ? await work.pointed(point) : null;
  const [place, by] = [seen(point, pointed), seen({ x, y }, pointed)];
  if (hold.length > 0) return { type: 'scroll', point: place, scroll: by, hold_keys: held(hold) };
  return printAction({ type: 'scroll', target: { point: place }, ...by, hold: [] });
}

async function dragByHand({ path, hold }: InputOf<'drag'>, work: Handwork): Promise<ActionInput> {
  const way = thinned(path);
  const [start, end] = [way[0], way.at(-1)];
  const from = start === undefined ? null : await work.pointed(start);
  const fromName = nameOf(from, work);
  const drags = from?.draggable === true && fromName !== null && end !== undefined && hold.length === 0;
  const toName = drags ? nameOf(await work.pointed(end), work) : null;
  const drag = (targets: Extract<NormalAction, { type: 'drag' }>['path']): string =>
    printAction({ type: 'drag', path: targets, delays: [], hold: [] });
  if (drags && toName !== null && fromName !== toName) return drag([{ ref: fromName }, { ref: toName }]);
  const places = way.map((point) => seen(point, from));
  if (hold.length > 0) return { type: 'drag', path: places, hold_keys: held(hold) };
  if (places.length > 2 && work.browsergym) return { type: 'drag', path: places };
  return drag(places.map((point) => ({ point })));
}

/** A point of the page, or a way in it, in the pixels that actions have. */
function seen({ x, y }: Point, pointed: Pointed | null): Point {
  const scale = pointed?.scale ?? 1;
  return { x: Math.round(x * scale), y: Math.round(y * scale) };
}

function nameOf(pointed: Pointed | null, { browsergym }: Handwork): string | null {
  if (pointed === null) return null;
  return browsergym ? pointed.bid : (pointed.selector ?? pointed.bid);
}

/** HUD's names of keys, as CLA actions have them. */
const CLA_NAMES: Readonly<Record<HeldKey, string>> = { Alt: 'alt', Control: 'ctrl', Meta: 'win', Shift: 'shift' };

function held(keys: readonly HeldKey[]): string[] {
  return keys.map((key) => CLA_NAMES[key]);
}

/** How far from a straight line a point of a drag may be left out, in pixels. */
const STRAIGHT = 3;

/** The points at which a way turns (Douglas and Peucker): a hand's tremble is no part of it. */
export function thinned(path: readonly Point[]): readonly Point[] {
  const [first, last] = [path[0], path.at(-1)];
  if (path.length < 3 || first === undefined || last === undefined) return path;
  let farthest = 0;
  let at = 0;
  for (const [index, point] of path.entries()) {
    const distance = fromLine(point, first, last);
    if (distance > farthest) [farthest, at] = [distance, index];
  }
  if (farthest <= STRAIGHT) return [first, last];
  return [...thinned(path.slice(0, at + 1)).slice(0, -1), ...thinned(path.slice(at))];
}

function fromLine({ x, y }: Point, a: Point, b: Point): number {
  const length = Math.hypot(b.x - a.x, b.y - a.y);
  if (length === 0) return Math.hypot(x - a.x, y - a.y);
  const along = ((x - a.x) * (b.x - a.x) + (y - a.y) * (b.y - a.y)) / length ** 2;
  const near = Math.min(1, Math.max(0, along));
  return Math.hypot(x - a.x - near * (b.x - a.x), y - a.y - near * (b.y - a.y));
}
