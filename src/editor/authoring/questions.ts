import * as vscode from 'vscode';

/** A step of a multi-step input. `Answers`: the answers after it. */
export type Question<Answers> = Choice<Answers> | Text<Answers>;

export interface Choice<Answers> {
  readonly kind: 'choice';
  readonly placeholder: string;
  readonly items: readonly (ChoiceItem<Answers> | Separator)[];
}

export interface ChoiceItem<Answers> extends vscode.QuickPickItem {
  readonly answers: Answers;
}

export interface Separator extends vscode.QuickPickItem {
  readonly kind: vscode.QuickPickItemKind.Separator;
}

export interface Text<Answers> {
  readonly kind: 'text';
  readonly prompt: string;
  readonly value: string;
  /** Why the text is invalid; undefined if it is valid. */
  check(text: string): string | undefined;
  answer(text: string): Answers;
}

/** Returns a question that depends on the previous answers; undefined skips the step. */
export type Step<Answers> = (
  answers: Answers,
) => Promise<Question<Answers> | undefined> | Question<Answers> | undefined;

type Answered<Answers> = { readonly answers: Answers } | 'back' | 'cancelled';

/**
 * Asks the questions in order. A Back button returns to the previous question with its answer.
 * @returns undefined if the user cancels
 */
export async function askAll<Answers>(
  title: string,
  steps: readonly Step<Answers>[],
  initial: Answers,
): Promise<Answers | undefined> {
  /** The answered steps, each with the answers before it. */
  const answeredSteps: { readonly step: number; readonly before: Answers }[] = [];
  const previousInputs = new Map<number, string>();
  let answers = initial;
  /** Steps without a question so far. */
  const skippedSteps = new Set<number>();
  for (let step = 0; step < steps.length; ) {
    const question = await steps[step]?.(answers);
    if (question === undefined) {
      skippedSteps.add(step);
      step += 1;
      continue;
    }
    const total = steps.length - [...skippedSteps].filter((before) => before < step).length;
    const state: StepState = {
      ...{ title, step: answeredSteps.length + 1, total },
      before: previousInputs.get(step),
      remember: (input) => previousInputs.set(step, input),
    };
    const answer = await (question.kind === 'choice' ? choose(question, state) : write(question, state));
    if (answer === 'cancelled') return undefined;
    if (answer === 'back') {
      const last = answeredSteps.pop();
      step = last?.step ?? 0;
      answers = last?.before ?? initial;
      continue;
    }
    answeredSteps.push({ step, before: answers });
    answers = answer.answers;
    step += 1;
  }
  return answers;
}

interface StepState {
  readonly title: string;
  readonly step: number;
  readonly total: number;
  /** The label or text of the previous answer. */
  readonly before: string | undefined;
  remember(input: string): void;
}

function choose<Answers>(question: Choice<Answers>, state: StepState): Promise<Answered<Answers>> {
  const input = vscode.window.createQuickPick<ChoiceItem<Answers> | Separator>();
  input.placeholder = question.placeholder;
  input.items = question.items;
  input.matchOnDescription = true;
  input.matchOnDetail = true;
  input.activeItems = question.items.filter((item) => 'answers' in item && item.label === state.before);
  return showInput(input, state, (settle) => {
    input.onDidAccept(() => {
      const [item] = input.selectedItems;
      if (item === undefined || !('answers' in item)) return;
      state.remember(item.label);
      settle({ answers: item.answers });
    });
  });
}

function write<Answers>(question: Text<Answers>, state: StepState): Promise<Answered<Answers>> {
  const input = vscode.window.createInputBox();
  input.prompt = question.prompt;
  input.value = state.before ?? question.value;
  input.valueSelection = [0, input.value.length];
  return showInput(input, state, (settle) => {
    // An untouched empty field shows no validation message.
    input.onDidChangeValue((text) => {
      input.validationMessage = question.check(text);
    });
    input.onDidAccept(() => {
      const problem = question.check(input.value);
      input.validationMessage = problem;
      if (problem !== undefined) return;
      state.remember(input.value);
      settle({ answers: question.answer(input.value) });
    });
  });
}

/** Shows the input until it is answered, cancelled, or the user goes back. */
function showInput<Answers>(
  input: vscode.QuickPick<ChoiceItem<Answers> | Separator> | vscode.InputBox,
  state: StepState,
  listen: (settle: (answer: Answered<Answers>) => void) => void,
): Promise<Answered<Answers>> {
  input.title = state.title;
  input.step = state.step;
  input.totalSteps = state.total;
  input.buttons = state.step > 1 ? [vscode.QuickInputButtons.Back] : [];
  input.ignoreFocusOut = true;
  return new Promise<Answered<Answers>>((resolve) => {
    listen(resolve);
    input.onDidTriggerButton((button) => {
      if (button === vscode.QuickInputButtons.Back) resolve('back');
    });
    input.onDidHide(() => resolve('cancelled'));
    input.show();
  }).finally(() => input.dispose());
}
