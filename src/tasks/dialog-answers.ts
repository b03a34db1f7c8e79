import type { JsonObject } from '../base/json.ts';
import { error, type Problem } from './problem.ts';
import { changeTo } from './value-fixes.ts';

/** Who answers `confirm` and `prompt`: the agent, or nobody, so that all dialogs are accepted or dismissed. */
export const DIALOG_ANSWERS = ['ask', 'accept', 'dismiss'] as const;
export type DialogAnswers = (typeof DIALOG_ANSWERS)[number];

/** What the metadata of a task says about dialogs; undefined if it says nothing valid. */
export function dialogAnswersIn(metadata: JsonObject): DialogAnswers | undefined {
  return DIALOG_ANSWERS.find((one) => one === metadata['dialogs']);
}

/** Problems in `metadata.dialogs`. */
export function dialogProblems(metadata: JsonObject): Problem[] {
  const { dialogs } = metadata;
  if (dialogs === undefined || dialogAnswersIn(metadata) !== undefined) return [];
  const path = ['metadata', 'dialogs'];
  const message = `"dialogs" must be "ask" (the agent answers), "accept", or "dismiss", not ${JSON.stringify(dialogs)}`;
  return [error('bad-dialogs', path, message, ...DIALOG_ANSWERS.map((word) => changeTo(path, word)))];
}
