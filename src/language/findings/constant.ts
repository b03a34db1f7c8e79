import type { EvaluateDeclaration } from '../../functions/declaration.ts';
import { judgesResponseOnly, searchesCharacters, trivialityOf } from '../../functions/meaning.ts';
import type { ReadCall } from '../../tasks/calls.ts';
import type { Problem } from '../../tasks/problem.ts';
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
  return [
    {
      path: call.argPaths[argument] ?? call.path,
      severity: 'warning',
      code: `${succeeds}-true`,
      message: messages[succeeds],
    },
  ];
}

/** A text in place of a list: HUD searches for each of its characters. */
function lettersProblems(call: ReadCall): Problem[] {
  if (!searchesCharacters(call)) return [];
  const [first = null] = call.args;
  const at = call.argPaths[0] ?? call.path;
  return [
    {
      path: at,
      severity: 'warning',
      code: 'letters-of-text',
      message: `${call.function} searches for each character of this string, as in HUD. Write ${JSON.stringify([first])}`,
      fixes: [changeTo(at, [first])],
    },
  ];
}
