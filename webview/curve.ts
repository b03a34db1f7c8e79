import * as l10n from '@vscode/l10n';
import type { PanelCurve, PanelStep } from '../src/presentation/runs/messages.ts';
import { withoutCodeMarks } from '../src/results/code-spans.ts';
import { formatReward } from '../src/results/reward.ts';
import { el, fill, linkButton, on, set, setText, svg } from './dom.ts';
import { stepName, stepNumbers } from './step-numbers.ts';
import { positionOf, type State, shownStep } from './store.ts';
import type { Tools, View } from './view.ts';
import { outcomeOf } from './words.ts';

/** Width and height in SVG units. The drawing is stretched to the width of the panel. */
const WIDTH = 1000;
const HEIGHT = 20;
const ROW = 4;
/** Maximum number of calls with a row. */
const CALLS = 8;

type Point = PanelCurve['points'][number];

/** The reward after each step, as a line for the reward and a row for each call. A button requests it. */
export function curve({ store, host }: Tools): View {
  const ask = linkButton(
    l10n.t('Reward at Each Step'),
    { title: l10n.t('Re-score the run after each step with the current evaluate calls and functions') },
    () => {
      store.dispatch({ type: 'askCurve' });
      host.post({ type: 'curve' });
    },
  );
  const waiting = el('span', { class: 'dim', role: 'status' });
  const drawing = svg('svg', { class: 'curve-drawing', preserveAspectRatio: 'none', 'aria-hidden': 'true' });
  const slider = el(
    'div',
    {
      class: 'curve-slider',
      role: 'slider',
      tabindex: 0,
      'aria-label': l10n.t('Reward at each step'),
      'aria-orientation': 'horizontal',
    },
    drawing,
  );
  const description = el('p', { class: 'curve-words' });
  const element = el(
    'section',
    { class: 'curve', 'aria-label': l10n.t('Reward curve') },
    ask,
    waiting,
    slider,
    description,
  );
  let points: readonly Point[] = [];

  function at(state: State): number {
    const index = shownStep(state)?.index ?? -1;
    const position = points.findIndex((point) => point.index >= index);
    return position < 0 ? points.length - 1 : position;
  }

  function choose(position: number): void {
    const point = points[Math.min(Math.max(position, 0), points.length - 1)];
    if (point !== undefined) store.dispatch({ type: 'choose', index: point.index });
  }

  on(slider, 'click', (event) => {
    const { left, width } = slider.getBoundingClientRect();
    choose(Math.floor(((event.clientX - left) / width) * points.length));
  });
  on(slider, 'keydown', (event) => {
    const current = at(store.state);
    const moves: Partial<Record<string, number>> = {
      ArrowLeft: current - 1,
      ArrowDown: current - 1,
      ArrowRight: current + 1,
      ArrowUp: current + 1,
      Home: 0,
      End: points.length - 1,
    };
    const to = moves[event.key];
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    choose(to);
  });

  return {
    element,
    update(state, before) {
      const result = state.curve !== null && state.curve !== 'asked' ? state.curve : null;
      if (state.curve !== before.curve || state.run !== before.run) {
        points = result?.points ?? [];
        const drawable = result !== null && result.problem === null && points.length > 0;
        // A run that did not start has nothing to re-score.
        element.hidden = state.run?.rescorable !== true || state.run.steps.length === 0;
        ask.hidden = state.curve === 'asked' || drawable;
        slider.hidden = !drawable;
        description.hidden = !drawable;
        setText(
          waiting,
          state.curve === 'asked' ? l10n.t('Re-scoring each step…') : withoutCodeMarks(result?.problem ?? ''),
        );
        waiting.hidden = waiting.textContent === '';
        if (drawable) draw(drawing, result);
      }
      if (result === null || slider.hidden) return;
      const position = at(state);
      const point = points[position];
      if (point === undefined) return;
      const steps = state.run?.steps ?? [];
      const text = pointText(point, result, nameOf(steps, point.index));
      set(slider, {
        'aria-valuemin': 1,
        'aria-valuemax': points.length,
        'aria-valuenow': position + 1,
        'aria-valuetext': text,
        title: text,
      });
      slider.style.setProperty('--at', `${(100 * (position + 0.5)) / points.length}%`);
      setText(
        description,
        changesText(points, (index) => nameOf(steps, index)),
      );
    },
  };
}

/** `Step 4: reward 0.50; page_contains("Cart") 1, response_is("done") 0`. */
function nameOf(steps: readonly PanelStep[], index: number): string {
  const number = stepNumbers(steps)[positionOf(steps, index)];
  return number === undefined ? '' : stepName(number);
}

function pointText(point: Point, { calls }: PanelCurve, step: string): string {
  const values = calls.map(({ text }, index) => `${text} ${rewardText(point.values[index] ?? null)}`);
  return l10n.t('{0}: reward {1}; {2}', step, rewardText(point.reward), values.join(', '));
}

/** The steps at which the reward changes: `Reward 0.00, from step 4: 1.00`. */
function changesText(points: readonly Point[], stepOf: (index: number) => string): string {
  const changes = points.flatMap((point, position) => {
    const value = rewardText(point.reward);
    if (position === 0) return [value];
    return value === rewardText(points[position - 1]?.reward ?? null)
      ? []
      : [l10n.t('from {0}: {1}', stepOf(point.index), value)];
  });
  return l10n.t('Reward {0}', changes.join(', '));
}

function rewardText(value: number | null): string {
  return value === null ? l10n.t('undecided') : formatReward(value);
}

function draw(drawing: SVGSVGElement, { points, calls }: PanelCurve): void {
  const rows = calls.slice(0, CALLS);
  const height = HEIGHT + rows.length * ROW;
  const each = WIDTH / points.length;
  set(drawing, { viewBox: `0 0 ${WIDTH} ${height}` });
  drawing.style.height = `${height}px`;
  const y = (value: number): number => HEIGHT - 3 - value * (HEIGHT - 6);
  const path: string[] = [];
  let pen = false;
  for (const [position, { reward: value }] of points.entries()) {
    // An undecided value has no line.
    if (value !== null) path.push(`${pen ? 'L' : 'M'}${position * each} ${y(value)}H${(position + 1) * each}`);
    pen = value !== null;
  }
  const cells = rows.flatMap((_, row) =>
    points.map((point, position) => {
      const value = point.values[row] ?? null;
      // The height also shows the value, for users who cannot distinguish the colors.
      const tall = 1 + (value ?? 0) * (ROW - 2);
      return svg('rect', {
        class: `curve-cell is-${outcomeOf(value, false)}`,
        x: position * each,
        y: HEIGHT + (row + 1) * ROW - 1 - tall,
        width: Math.max(each - 2, 1),
        height: tall,
      });
    }),
  );
  fill(drawing, svg('path', { class: 'curve-line', d: path.join('') }), ...cells);
}
