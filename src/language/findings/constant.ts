import type { EvaluateDeclaration } from '../../functions/declaration.ts';
import { judgesResponseOnly, searchesCharacters, trivialityOf } from '../../functions/meaning.ts';
import type { ReadCall } from '../../tasks/calls.ts';
import { type Problem, warning } from '../../tasks/problem.ts';
import { changeTo } from '../../tasks/value-fixes.ts';

/** Evaluate calls whose result does not depend on the agent, or that do not check what they appear to. */
export function constantProblems(call: ReadCall, declaration: EvaluateDeclaration): Problem[] {
  const trivial = trivialityOf(call);
  if (trivial === null) return lettersProblems(call);
  const { succeeds, argument, reason } = trivial;
  const messages = judgesResponseOnly(declaration)
    ? {
        always: `Every response satisfies this ${call.function}, so it cannot distinguish correct from incorrect ones`,
        never: `No response satisfies this ${call.function}: ${reason}`,
      }
    : {
        always: `This ${call.function} always succeeds, whatever the agent does`,
        never: `This ${call.function} never succeeds: ${reason}`,
      };
  return [warning(`${succeeds}-true`, call.argPaths[argument] ?? call.path, messages[succeeds])];
}

/** A text in place of a list: HUD searches for each of its characters. */
function lettersProblems(call: ReadCall): Problem[] {
  if (!searchesCharacters(call)) return [];
  const [first = null] = call.args;
  const path = call.argPaths[0] ?? call.path;
  const message = `${call.function} searches for each character of this string, as in HUD. Write ${JSON.stringify([first])}`;
  return [warning('letters-of-text', path, message, changeTo(path, [first]))];
}
