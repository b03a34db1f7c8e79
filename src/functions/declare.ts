import type * as z from 'zod';
import type { EvaluateDeclaration, FunctionDeclaration, Verdict } from './declaration.ts';

/** Declares one function: `run` gets the arguments in the types of the schema. */
export function declare<Args extends z.ZodType<readonly unknown[]>>(
  declaration: FunctionDeclaration<Args>,
): FunctionDeclaration {
  // The arguments were parsed with `args` before `run` is called, so the narrower parameter types hold.
  return declaration as unknown as FunctionDeclaration;
}

/** Declares an evaluate function of the response alone. Without a response, the value is 0 and `judge` is not called. */
export function declareForResponse<Args extends z.ZodType<readonly unknown[]>>({
  judge,
  ...declaration
}: Omit<EvaluateDeclaration<Args>, 'phase' | 'needs' | 'reads' | 'run'> & {
  judge(response: string, ...args: z.infer<Args>): Verdict;
}): FunctionDeclaration {
  return declare<Args>({
    ...declaration,
    phase: 'evaluate',
    needs: [],
    reads: ['response'],
    async run({ response }, ...args) {
      return response === null ? { value: 0, reason: 'the agent gave no response' } : judge(response, ...args);
    },
  });
}
