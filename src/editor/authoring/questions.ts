import * as vscode from 'vscode';

/** One question of several. `Answers` is what is known after it. */
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
  /** Why this cannot be the answer; undefined where it can. */
  check(text: string): string | undefined;
  answer(text: string): Answers;
}

/** A step asks its question in the light of the answers before it; undefined where it has nothing to ask. */
export type Step<Answers> = (
  answers: Answers,
) => Promise<Question<Answers> | undefined> | Question<Answers> | undefined;

type Answered<Answers> = { readonly answers: Answers } | 'back' | 'cancelled';

/**
 * Asks one question after the other, with a button that goes back. The one before is then asked with what was answered.
 * @returns undefined where the person left
 */
export async function askAll<Answers>(
  title: string,
  steps: readonly Step<Answers>[],
  beginning: Answers,
): Promise<Answers | undefined> {
  /** The steps that asked something, each with the answers before it. */
  const asked: { readonly step: number; readonly before: Answers }[] = [];
  const remembered = new Map<number, string>();
  let answers = beginning;
  /** Steps up to here that had nothing to ask. */
  const skipped = new Set<number>();
  for (let step = 0; step < steps.length; ) {
    const question = await steps[step]?.(answers);
    if (question === undefined) {
      skipped.add(step);
      step += 1;
      continue;
    }
    const total = steps.length - [...skipped].filter((before) => before < step).length;
    const place = { title, step: asked.length + 1, total, canGoBack: asked.length > 0 };
    const answer =
      question.kind === 'choice'
        ? await choose(question, place, remembered.get(step), (label) => remembered.set(step, label))
        : await write(question, place, remembered.get(step), (text) => remembered.set(step, text));
    if (answer === 'cancelled') return undefined;
    if (answer === 'back') {
      const last = asked.pop();
      step = last?.step ?? 0;
      answers = last?.before ?? beginning;
      continue;
    }
    asked.push({ step, before: answers });
    answers = answer.answers;
    step += 1;
  }
  return answers;
}

interface Place {
  readonly title: string;
  readonly step: number;
  readonly total: number;
  readonly canGoBack: boolean;
}

function choose<Answers>(
  question: Choice<Answers>,
  place: Place,
  before: string | undefined,
  remember: (label: string) => void,
): Promise<Answered<Answers>> {
  const input = vscode.window.createQuickPick<ChoiceItem<Answers> | Separator>();
  dress(input, place);
  input.placeholder = question.placeholder;
  input.items = question.items;
  input.matchOnDescription = true;
  input.matchOnDetail = true;
  input.activeItems = question.items.filter((item) => 'answers' in item && item.label === before);
  return shown(input, (settle) => {
    input.onDidAccept(() => {
      const [item] = input.selectedItems;
      if (item === undefined || !('answers' in item)) return;
      remember(item.label);
      settle({ answers: item.answers });
    });
  });
}

function write<Answers>(
  question: Text<Answers>,
  place: Place,
  before: string | undefined,
  remember: (text: string) => void,
): Promise<Answered<Answers>> {
  const input = vscode.window.createInputBox();
  dress(input, place);
  input.prompt = question.prompt;
  input.value = before ?? question.value;
  input.valueSelection = [0, input.value.length];
  return shown(input, (settle) => {
    // While nothing has been typed an empty field needs no complaint.
    input.onDidChangeValue((text) => {
      input.validationMessage = question.check(text);
    });
    input.onDidAccept(() => {
      const complaint = question.check(input.value);
      input.validationMessage = complaint;
      if (complaint !== undefined) return;
      remember(input.value);
      settle({ answers: question.answer(input.value) });
    });
  });
}

function dress(input: vscode.QuickPick<vscode.QuickPickItem> | vscode.InputBox, place: Place): void {
  input.title = place.title;
  input.step = place.step;
  input.totalSteps = place.total;
  input.buttons = place.canGoBack ? [vscode.QuickInputButtons.Back] : [];
  input.ignoreFocusOut = true;
}

/** Shows the input until it is settled, left, or gone back from. */
function shown<Answers>(
  input: vscode.QuickPick<ChoiceItem<Answers> | Separator> | vscode.InputBox,
  listen: (settle: (answer: Answered<Answers>) => void) => void,
): Promise<Answered<Answers>> {
  return new Promise<Answered<Answers>>((resolve) => {
    listen(resolve);
    input.onDidTriggerButton((button) => {
      if (button === vscode.QuickInputButtons.Back) resolve('back');
    });
    input.onDidHide(() => resolve('cancelled'));
    input.show();
  }).finally(() => input.dispose());
}
