import { expectedOf } from '../../functions/meaning.ts';
import type { ReadCall } from '../../tasks/calls.ts';
import { type Problem, warning } from '../../tasks/problem.ts';

/** Shorter answers occur in a prompt by chance. */
const LEAST = 4;
/** Answers that any prompt can contain. */
const COMMON = new Set(
  'true false none null nothing done okay error unknown correct wrong right left yes/no both neither answer hello high low good'.split(
    ' ',
  ),
);
/** Phrases that announce the answer. */
const INTRODUCTION =
  /(?:\b(?:answer|solution|result|response|hint)\b(?:\s+(?:here|key|to this))?\s*(?:is|was|:|=|would be|-|–|—)|\b(?:expected|a):)\s*["'“‘(]?$/i;
/** `… is Paris`, directly before the answer. */
const STATEMENT = /\b(?:is|are|was|were|equals|means|called|named)\s+(?:the\s+|an?\s+)?["'“‘]?$/i;
/** `Paris is …`, directly after the answer. */
const STATING = /^["'”’]?\s+(?:is|are|was|were|equals|means)\b/i;
/** Prompts that ask the agent to read, choose, or repeat something contain the answer on purpose. */
const ON_PURPOSE =
  /\b(?:or|either|choose|options?|one of|which of|among|select|pick|text|passage|paragraph|article|sentence|following|below|above|document|emails?|message|page|table|translate|summari[sz]e|extract|according|given|based on|story|repeat|rewrite|spell|quote|suppose|assume|imagine|if|remember|whether|verify|confirm|claim|true)\b|[\n"“`]/i;
const MAX_LENGTH = 300;

/**
 * Reports an answer in the prompt, which the agent would only have to repeat. Only explicit statements count; a word
 * that question and answer share is no leak.
 */
export function leakProblems(prompt: string, calls: readonly ReadCall[]): Problem[] {
  let lowerCase: string | undefined;
  const problems: Problem[] = [];
  for (const call of calls) {
    const answers = answersOf(call);
    if (answers.length === 0) continue;
    lowerCase ??= prompt.toLowerCase();
    const text = lowerCase;
    if (!answers.every((answer) => isGivenAway(prompt, text, answer))) continue;
    const message = `The prompt contains the answer “${answers.join('”, “')}”, so repeating the prompt is enough`;
    problems.push(warning('answer-in-prompt', call.argPaths[0] ?? call.path, message));
  }
  return problems;
}

/** All texts that the response must contain; empty if one is too short or too common. */
function answersOf(call: ReadCall): readonly string[] {
  // A further argument may be invalid, or one of a controller's function.
  const expectation = expectedOf(call) ?? expectedOf({ ...call, args: call.args.slice(0, 1) });
  const answers = expectation?.kind === 'response' ? expectation.answers.map((answer) => answer.trim()) : [];
  return answers.every(isTelling) ? answers : [];
}

function isTelling(answer: string): boolean {
  return answer.length >= LEAST && !COMMON.has(answer.toLowerCase()) && /\p{L}/u.test(answer);
}

function isGivenAway(prompt: string, lowerCase: string, answer: string): boolean {
  const foldedAnswer = answer.toLowerCase();
  for (let at = lowerCase.indexOf(foldedAnswer); at !== -1; at = lowerCase.indexOf(foldedAnswer, at + 1)) {
    const end = at + foldedAnswer.length;
    if (isWord(lowerCase[at - 1]) || isWord(lowerCase[end])) continue;
    const start = sentenceStart(lowerCase, at);
    const before = prompt.slice(Math.max(start, at - 60), at);
    if (INTRODUCTION.test(before)) return true;
    if (prompt.length > MAX_LENGTH || ON_PURPOSE.test(prompt)) continue;
    const hasQuestion = prompt.slice(0, start).includes('?') || prompt.slice(end).includes('?');
    const inQuestion = /^[^.!?]*\?/.test(prompt.slice(end, end + 200));
    if (!hasQuestion || inQuestion) continue;
    if (STATEMENT.test(before) || (before.trim() === '' && STATING.test(prompt.slice(end, end + 20)))) return true;
  }
  return false;
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}_]/u.test(character);
}

function sentenceStart(text: string, at: number): number {
  for (let index = at - 1; index >= 0; index -= 1) {
    const character = text[index] as string;
    if ('.!?\n'.includes(character) && /\s/.test(text[index + 1] ?? ' ')) return index + 1;
  }
  return 0;
}
