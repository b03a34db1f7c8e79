import { type ActionInput, screenSchema } from '../../actions/action.ts';
import type { ActionDialect, NormalAction } from '../../actions/normal.ts';
import { normaliseAction } from '../../actions/normalise.ts';
import { printAction } from '../../actions/print.ts';
import { fitScreen } from '../../actions/rescale.ts';
import { equalJson } from '../../base/json.ts';
import type { StepInfo } from '../../environments/environment.ts';
import { actionDialect } from '../../environments/kinds.ts';
import type { Task } from '../../tasks/task.ts';
import type { Step } from '../../traces/trace.ts';

/** One action of a run: its line in a solution, or the reason for leaving it out. */
type ExecutedAction =
  | { readonly line: string; readonly action: NormalAction }
  | { readonly action: NormalAction; readonly reason: string };

/**
 * The actions of a run as an `.actions` file: the prompt as a comment, then one action per line. Failed and ignored actions
 * become comments, and consecutive typing becomes one line.
 */
export function solutionText(prompt: string, env: Task['env'], steps: readonly Step[]): string {
  const dialect = actionDialect(env);
  const lines = prompt
    .split(/\r\n|\r|\n/)
    .filter((line) => line.trim() !== '')
    .map((line) => `# ${line.trim()}`);
  /** The text that the last line types. */
  let typedText: string | null = null;
  for (const done of steps.flatMap((step) => doneIn(step, dialect))) {
    const { action } = done;
    if ('reason' in done) {
      typedText = null;
      lines.push(`# left out: ${oneLine(printAction(action))}: ${oneLine(done.reason)}`);
    } else if (action.type !== 'type' || action.enter) {
      typedText = null;
      lines.push(done.line);
    } else if (typedText === null) {
      typedText = action.text;
      lines.push(done.line);
    } else {
      typedText += action.text;
      lines.splice(-1, 1, printAction({ ...action, text: typedText }));
    }
  }
  return `${lines.join('\n')}\n`;
}

/** The actions of a recorded step. */
export function inputsOf({ action = [] }: Step): readonly ActionInput[] {
  return (Array.isArray(action) ? action : [action]) as readonly ActionInput[];
}

/** The actions of a step, one line each, including failed and ignored ones. */
export function actionLines(step: Step, env: Task['env']): readonly string[] {
  if (step.source !== 'agent') return [];
  const dialect = actionDialect(env);
  const inputs = inputsOf(step);
  return inputs.flatMap((input) => {
    const { actions, failure } = normaliseAction(input, dialect);
    if (failure !== null) return [typeof input === 'string' ? oneLine(input) : JSON.stringify(input)];
    return actions.map((action) => lineOf(action, input, actions.length === 1, dialect));
  });
}

/** Number of actions that a solution from these steps would have. */
export function actionCount(steps: readonly Step[], env: Task['env']): number {
  const dialect = actionDialect(env);
  return steps.flatMap((step) => doneIn(step, dialect)).filter((done) => 'line' in done).length;
}

function doneIn(step: Step, dialect: ActionDialect): ExecutedAction[] {
  if (step.source !== 'agent') return [];
  const { acted = [] } = step.info as StepInfo;
  const inputs = inputsOf(step);
  const read = inputs.map((input) => ({ input, ...normaliseAction(input, dialect) }));
  // Inputs that could not be read follow the executed ones; any other error belongs to the last action.
  const total = read.reduce((sum, { actions }) => sum + actions.length, 0);
  const hasUnparsed = acted.length === total && read.some(({ failure }) => failure !== null);
  const failedIndex = step.error === null || hasUnparsed ? -1 : acted.length - 1;
  const done: ExecutedAction[] = [];
  for (const { input, actions, failure } of read) {
    for (const original of actions) {
      const at = done.length;
      const action = inPage(original, step.info as StepInfo, step.info['screen']);
      const one = acted[at];
      if (one === undefined) return done;
      if (at === failedIndex) done.push({ action, reason: step.error?.message ?? '' });
      else if (one.ignored !== undefined) done.push({ action, reason: one.ignored });
      else {
        const isOnly = actions.length === 1 && failure === null && action === original;
        done.push({ action, line: lineOf(action, input, isOnly, dialect) });
      }
    }
  }
  return done;
}

/** Converts the coordinates of an agent that uses another resolution to those of a solution. */
function inPage(action: NormalAction, { viewport }: StepInfo, screen: unknown): NormalAction {
  const agentScreen = screenSchema.safeParse(screen);
  return agentScreen.success && viewport !== undefined ? fitScreen(action, agentScreen.data, viewport) : action;
}

/** `isOnly`: the input has no other action. */
function lineOf(action: NormalAction, input: ActionInput, isOnly: boolean, dialect: ActionDialect): string {
  if (typeof input === 'string' && isOnly && /^[A-Za-z_][^\r\n]*$/.test(input.trim())) return input.trim();
  const text = printAction(action);
  if (action.type === 'object') return text;
  const again = normaliseAction(text, dialect);
  if (again.failure === null && again.actions.length === 1 && equalJson(again.actions[0], action)) return text;
  if (typeof input === 'string') return oneLine(input);
  const { reasoning: _reasoning, logs: _logs, ...withoutExtras } = input;
  return JSON.stringify(withoutExtras);
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
