import * as z from 'zod';
import { typedActionSchema } from '../actions/action.ts';
import { claProblem } from '../actions/cla.ts';
import type { NormalAction } from '../actions/normal.ts';
import { normaliseAction } from '../actions/normalise.ts';
import { printAction } from '../actions/print.ts';
import { printInputs } from '../actions/print-input.ts';
import { equalJson } from '../base/json.ts';
import { selector } from './arguments.ts';
import type { ActionRecord, Verdict } from './declaration.ts';
import { declare } from './declare.ts';
import { differenceOf } from './differences.ts';
import { UNNAMED } from './masked.ts';
import { NotRecorded } from './not-recorded.ts';
import { excerpt, firstHint, hintFirst, list, quote } from './words.ts';

const NOTHING: Verdict = { value: 0, reason: 'the agent took no action' };

const OF_ELEMENTS = { phase: 'evaluate', needs: ['page'], reads: ['actions'] } as const;

/** A single valid action, which `raw_last_action_is` compares with. */
const action = typedActionSchema.superRefine((input, context) => {
  const { actions, failure } = normaliseAction(input);
  if (failure) {
    const problem = typeof input === 'object' && !Array.isArray(input) ? claProblem(input) : null;
    if (problem === null) context.addIssue({ code: 'custom', message: failure.message });
    else {
      const { path, message, choices } = problem;
      context.addIssue({ code: 'custom', path: [...path], message, params: { choices } });
    }
  } else if (actions.length !== 1) context.addIssue({ code: 'custom', message: 'expected one action' });
});

/** Evaluate functions of the agent's actions. */
export const historyFunctions = [
  declare({
    name: 'raw_last_action_is',
    phase: 'evaluate',
    needs: [],
    reads: ['actions'],
    args: z.tuple([action]),
    parameters: ['action'],
    doc: 'Checks whether the last action equals the given action (string or object) after normalization.',
    expected: (input) => ({ kind: 'action', action: input }),
    async run({ actions }, input): Promise<Verdict> {
      const last = actions.at(-1);
      const target = normaliseAction(input).actions[0];
      if (!last) return NOTHING;
      if (!target) throw new Error('the expected action cannot be parsed');
      const equal = last.normalised !== null && equalJson(last.normalised, target);
      const expectedAction = printAction(target);
      if (equal) return { value: 1, reason: `the last action is ${expectedAction}` };
      const lastPrinted = mayBe(last, target) ? print(last) : nameOf(last);
      const hint = textDifference(last, target) || differenceOf(expectedAction, lastPrinted);
      return { value: 0, reason: hintFirst(hint, `the last action is ${lastPrinted}, expected ${expectedAction}`) };
    },
  }),
  declare({
    name: 'selector_history',
    ...OF_ELEMENTS,
    args: z.tuple([selector, z.number().int().optional()]),
    parameters: ['selector', 'index?'],
    doc: 'Checks whether an action acted on an element that matches the selector: any action, or the action at the index (0 is the first, -1 the last).',
    actedOn: (wanted) => wanted,
    async run({ actions }, target, index): Promise<Verdict> {
      if (actions.length === 0) return NOTHING;
      if (index !== undefined) {
        const record = actions.at(index);
        if (!record)
          return { value: 0, reason: `action ${index} does not exist; the number of actions is ${actions.length}` };
        return (await record.matches(target))
          ? { value: 1, reason: `action ${index}, ${nameOf(record)}, acted on \`${target}\`` }
          : { value: 0, reason: `action ${index}, ${nameOf(record)}, did not act on \`${target}\`` };
      }
      const match = await firstThat(actions, (record) => record.matches(target));
      if (match) return { value: 1, reason: `${nameOf(match)} acted on \`${target}\`` };
      const last = list(actions.slice(-3).map(nameOf));
      return { value: 0, reason: `no action acted on \`${target}\`; last actions: ${last}` };
    },
  }),
  declare({
    name: 'verify_type_action',
    ...OF_ELEMENTS,
    args: z.tuple([selector, z.string()]),
    parameters: ['selector', 'text'],
    doc: 'Checks whether a typing action left the text in an element that matches the selector.',
    actedOn: (wanted) => wanted,
    async run({ actions }, target, text): Promise<Verdict> {
      const typing = actions.filter((record) => record.typed !== null);
      if (typing.length === 0) return { value: 0, reason: 'the agent typed into no field' };
      const left: string[] = [];
      const match = await firstThat(typing, async (record) => {
        if (!(await record.matches(target))) return false;
        if (record.typed === text) return true;
        left.push(record.typed ?? '');
        return false;
      });
      if (match) return { value: 1, reason: `${nameOf(match)} left ${quote(text)} in \`${target}\`` };
      if (left.length === 0) {
        const reason = `no typing action went into \`${target}\`; typed: ${list(typing.slice(-3).map(nameOf))}`;
        return { value: 0, reason };
      }
      const texts = list(left.map((one) => excerpt(one)));
      const hint = firstHint(left, (one) => differenceOf(text, one));
      return { value: 0, reason: hintFirst(hint, `typing into \`${target}\` left ${texts}, expected ${quote(text)}`) };
    },
  }),
];

/** Whether the record would be the wanted action if its text or keys, which may be masked, were the wanted ones. */
function mayBe({ normalised }: ActionRecord, target: NormalAction): boolean {
  if (normalised === null) return false;
  const text = 'text' in target ? { text: target.text } : {};
  const keys = 'keys' in target ? { keys: target.keys } : {};
  return equalJson({ ...normalised, ...text, ...keys }, target);
}

/** The difference of the texts of actions that differ in nothing else, which a reason prints with escape sequences. */
function textDifference(last: ActionRecord, target: NormalAction): string {
  if (!mayBe(last, target) || last.normalised === null || !('text' in last.normalised) || !('text' in target))
    return '';
  return differenceOf(target.text ?? '', last.normalised.text ?? '');
}

/** The first action that matches. Rejects with `NotRecorded` if none does but that is unknown for some. */
async function firstThat(
  actions: readonly ActionRecord[],
  fits: (record: ActionRecord) => Promise<boolean>,
): Promise<ActionRecord | undefined> {
  let unknown: NotRecorded | undefined;
  for (const record of actions) {
    try {
      if (await fits(record)) return record;
    } catch (error) {
      if (!(error instanceof NotRecorded)) throw error;
      unknown ??= error;
    }
  }
  if (unknown) throw unknown;
  return undefined;
}

/** Tells which action is meant, in calls that do not compare its text: without the mask of a text. */
function nameOf(record: ActionRecord): string {
  return print(record).replaceAll(UNNAMED, '…');
}

function print(record: ActionRecord): string {
  if (record.normalised) return printAction(record.normalised);
  return excerpt(printInputs(record.input).join());
}
