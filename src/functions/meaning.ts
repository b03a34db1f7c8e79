import { findBuiltin } from './catalogue.ts';
import type { EvaluateDeclaration, Expectation, FunctionDeclaration, Subject, Triviality } from './declaration.ts';
import type { FunctionCall } from './evaluate.ts';
import type { FactQuery } from './fact-query.ts';

/** Whether a call is of a built-in function that judges something. */
export function judges(call: Pick<FunctionCall, 'function'>, subject: Subject): boolean {
  const declaration = findBuiltin(call.function);
  return declaration?.phase === 'evaluate' && declaration.reads.includes(subject);
}

/** Whether an evaluate function judges nothing but the response. */
export function judgesResponseOnly(declaration: FunctionDeclaration): boolean {
  return declaration.phase === 'evaluate' && declaration.reads.every((subject) => subject === 'response');
}

/** What gives a call the value 1; null if that is not known. */
export function expectedOf(call: FunctionCall): Expectation | null {
  return answerOf(call, 'expected') ?? null;
}

/** Why the value of a call does not depend on the agent; null if it does, as far as is known. */
export function trivialityOf(call: FunctionCall): Triviality | null {
  return answerOf(call, 'trivial') ?? null;
}

/** Whether a call searches for the characters of a text. */
export function searchesCharacters(call: FunctionCall): boolean {
  return answerOf(call, 'searchesCharacters') ?? false;
}

/** All that a call reads of the page; null if it reads more or nothing of it. */
export function pageFactOf(call: FunctionCall): FactQuery | null {
  return answerOf(call, 'pageFact') ?? null;
}

/** The selector of the elements of which a call judges the actions; null if it judges something else. */
export function actedOnOf(call: FunctionCall): string | null {
  return answerOf(call, 'actedOn') ?? null;
}

/** What a call can be asked without an environment. */
type Question = 'expected' | 'trivial' | 'searchesCharacters' | 'pageFact' | 'actedOn';
type Answer<Of extends Question> = ReturnType<NonNullable<EvaluateDeclaration[Of]>>;

/** Undefined if the function has no answer, or the arguments are invalid. */
function answerOf<Of extends Question>(call: FunctionCall, question: Of): Answer<Of> | undefined {
  const declaration = findBuiltin(call.function);
  if (declaration?.phase !== 'evaluate') return undefined;
  const answer: ((...args: readonly unknown[]) => unknown) | undefined = declaration[question];
  if (answer === undefined) return undefined;
  const result = declaration.args.safeParse(call.args);
  return result.success ? (answer(...result.data) as Answer<Of>) : undefined;
}
