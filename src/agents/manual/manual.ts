import type { ActionInput, Point } from '../../actions/action.ts';
import { type NormalAction, takesBrowserGymCalls } from '../../actions/normal.ts';
import { printAction } from '../../actions/print.ts';
import type { Pointed } from '../../environments/environment.ts';
import { actionDialect } from '../../environments/kinds.ts';
import type { EnvironmentSpec } from '../../tasks/task.ts';
import type { Agent, RunInspector } from '../agent.ts';
import type { AskUser, HeldKey, ManualGesture, ManualInput, ManualQuestion } from '../manual-input.ts';

/** What translating a gesture into an action needs. */
export interface GestureContext {
  /** The element at a point of the page; with null, the element that has the focus. */
  readonly findElement: (point: Point | null) => Promise<Pointed | null>;
  readonly ask: (question: ManualQuestion) => ReturnType<AskUser>;
  /** The environment accepts only BrowserGym's functions, which identify elements by their ids. */
  readonly browsergym: boolean;
}

/** The user at the live view. Gestures become the actions that any other agent would give. */
export function manualAgent(manualInput: ManualInput, env: EnvironmentSpec): Agent {
  let inspector: RunInspector | null = null;
  return {
    attach(pageInspector) {
      inspector = pageInspector;
    },
    async act(_turn, signal) {
      const context: GestureContext = {
        findElement: async (point) => (await inspector?.findElement(point, signal)) ?? null,
        ask: (question) => manualInput.ask(question, signal),
        browsergym: takesBrowserGymCalls(actionDialect(env)),
      };
      manualInput.typesSecret = (await context.findElement(null))?.secret === true;
      for (;;) {
        const request = await manualInput.next(signal);
        if (request.kind === 'done') return { actions: null };
        const action = request.kind === 'action' ? request.action : await actionOfGesture(request, context);
        if (action === null) continue;
        // Until the next turn, typing may go to a password field.
        if (request.kind !== 'text') manualInput.typesSecret = true;
        return { actions: action };
      }
    },
    close: async () => {},
  };
}

/**
 * The action for a gesture. It acts on the element at the point if a click on the element's center has the same effect,
 * otherwise on the point. Null if the user dismissed a question about it.
 */
export async function actionOfGesture(gesture: ManualGesture, context: GestureContext): Promise<ActionInput | null> {
  switch (gesture.kind) {
    case 'text':
      return printAction({ type: 'type', text: gesture.text, enter: false });
    case 'key':
      return printAction({ type: 'press', target: null, keys: gesture.keys });
    case 'scroll':
      return scrollAction(gesture, context);
    case 'drag':
      return dragAction(gesture, context);
    case 'click':
      return clickAction(gesture, context);
  }
}

type GestureOf<K extends ManualGesture['kind']> = Extract<ManualGesture, { kind: K }>;

async function clickAction(gesture: GestureOf<'click'>, context: GestureContext): Promise<ActionInput | null> {
  const { point, button, count, hold } = gesture;
  const element = await context.findElement(point);
  const ref = nameOf(element, context);
  if (element !== null && ref !== null && button === 'left' && count === 1 && hold.length === 0 && element.asks) {
    return askAction(element, ref, context);
  }
  const delays = Array.from({ length: count - 1 }, () => 0);
  const print = (target: { ref: string } | { point: Point }): string =>
    printAction({ type: 'click', target, button, delays, hold });
  if (element?.steady === true && ref !== null && count <= 2) return print({ ref });
  const target = scalePoint(point, element);
  // Action strings have no form for these.
  if (count > 2 || hold.length > 0)
    return { type: 'click', point: target, button, pattern: delays, hold_keys: claNames(hold) };
  return print({ point: target });
}

/** Asks the user, because no picture shows what the browser would open. */
async function askAction(element: Pointed, ref: string, { ask }: GestureContext): Promise<ActionInput | null> {
  const { label, asks: control } = element;
  if (control === null) return null;
  const answers = await ask({ label, ...control });
  const [first] = answers ?? [];
  if (answers === null || (first === undefined && control.kind !== 'select')) return null;
  const target = { ref };
  if (control.kind === 'select') return printAction({ type: 'select', target, options: answers });
  if (control.kind === 'file') return printAction({ type: 'upload', target, files: answers });
  return printAction({ type: 'fill', target, text: first ?? '', menu: false });
}

async function scrollAction({ point, x, y, hold }: GestureOf<'scroll'>, context: GestureContext): Promise<ActionInput> {
  const element = context.browsergym ? await context.findElement(point) : null;
  const [target, by] = [scalePoint(point, element), scalePoint({ x, y }, element)];
  if (hold.length > 0) return { type: 'scroll', point: target, scroll: by, hold_keys: claNames(hold) };
  return printAction({ type: 'scroll', target: { point: target }, ...by, hold: [] });
}

async function dragAction({ path, hold }: GestureOf<'drag'>, context: GestureContext): Promise<ActionInput> {
  const turns = simplifyPath(path);
  const [start, end] = [turns[0], turns.at(-1)];
  const from = start === undefined ? null : await context.findElement(start);
  const fromName = nameOf(from, context);
  const drags = from?.draggable === true && fromName !== null && end !== undefined && hold.length === 0;
  const toName = drags ? nameOf(await context.findElement(end), context) : null;
  const drag = (targets: Extract<NormalAction, { type: 'drag' }>['path']): string =>
    printAction({ type: 'drag', path: targets, delays: [], hold: [] });
  if (drags && toName !== null && fromName !== toName) return drag([{ ref: fromName }, { ref: toName }]);
  const points = turns.map((point) => scalePoint(point, from));
  if (hold.length > 0) return { type: 'drag', path: points, hold_keys: claNames(hold) };
  if (points.length > 2 && context.browsergym) return { type: 'drag', path: points };
  return drag(points.map((point) => ({ point })));
}

/** A point or distance of the page in the pixels of actions. */
function scalePoint({ x, y }: Point, element: Pointed | null): Point {
  const scale = element?.scale ?? 1;
  return { x: Math.round(x * scale), y: Math.round(y * scale) };
}

function nameOf(element: Pointed | null, { browsergym }: GestureContext): string | null {
  if (element === null) return null;
  return browsergym ? element.bid : (element.selector ?? element.bid);
}

/** The names of keys in CLA actions. */
const CLA_NAMES: Readonly<Record<HeldKey, string>> = { Alt: 'alt', Control: 'ctrl', Meta: 'win', Shift: 'shift' };

function claNames(keys: readonly HeldKey[]): string[] {
  return keys.map((key) => CLA_NAMES[key]);
}

/** Maximum distance in pixels from a straight line at which a point of a drag is dropped. */
const TOLERANCE = 3;

/** The points at which a path turns (Douglas–Peucker), without the jitter of the mouse. */
export function simplifyPath(path: readonly Point[]): readonly Point[] {
  const [first, last] = [path[0], path.at(-1)];
  if (path.length < 3 || first === undefined || last === undefined) return path;
  let maxDistance = 0;
  let at = 0;
  for (const [index, point] of path.entries()) {
    const distance = distanceToSegment(point, first, last);
    if (distance > maxDistance) [maxDistance, at] = [distance, index];
  }
  if (maxDistance <= TOLERANCE) return [first, last];
  return [...simplifyPath(path.slice(0, at + 1)).slice(0, -1), ...simplifyPath(path.slice(at))];
}

function distanceToSegment({ x, y }: Point, a: Point, b: Point): number {
  const length = Math.hypot(b.x - a.x, b.y - a.y);
  if (length === 0) return Math.hypot(x - a.x, y - a.y);
  const projection = ((x - a.x) * (b.x - a.x) + (y - a.y) * (b.y - a.y)) / length ** 2;
  const fraction = Math.min(1, Math.max(0, projection));
  return Math.hypot(x - a.x - fraction * (b.x - a.x), y - a.y - fraction * (b.y - a.y));
}
