import type { PanelStep } from '../src/presentation/runs/messages.ts';
import { withoutCodeMarks } from '../src/results/code-spans.ts';
import { el, setText } from './dom.ts';
import { stepName, stepNumbers } from './step-numbers.ts';
import { isFollowing, shownStep } from './store.ts';
import type { View } from './view.ts';
import { isRunning, stepWords, verdictWords } from './words.ts';

/** Milliseconds between two announcements of steps. A verdict is always announced. */
const PAUSE = 3000;

function numberText(steps: readonly PanelStep[]): string {
  const number = stepNumbers(steps).at(-1);
  return number === undefined ? '' : stepName(number);
}

/** Announces the newest step from time to time and the verdict to screen readers. */
export function announcer(): View {
  const element = el('div', { class: 'visually-hidden', role: 'status', 'aria-live': 'polite' });
  let last = -PAUSE;
  return {
    element,
    update(state, before) {
      const { run } = state;
      if (run === null || run === before.run) return;
      if (!isRunning(run)) {
        const hasEnded = before.run === null || before.run.runId !== run.runId || isRunning(before.run);
        if (hasEnded)
          setText(
            element,
            `${run.task}: ${withoutCodeMarks(run.verdict?.error?.message ?? verdictWords(run).sentence)}.`,
          );
        return;
      }
      const step = shownStep(state);
      if (step === null || !isFollowing(state) || step === shownStep(before)) return;
      if (performance.now() - last < PAUSE) return;
      last = performance.now();
      setText(element, `${numberText(run.steps)}: ${stepWords(step)}`);
    },
  };
}
