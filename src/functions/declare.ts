import type * as z from 'zod';
import type { FunctionDeclaration } from './declaration.ts';

/** Declares one function: `run` gets the arguments in the types of the schema. */
export function declare<Args extends z.ZodType<readonly unknown[]>>(
  declaration: FunctionDeclaration<Args>,
): FunctionDeclaration {
  // The arguments were parsed with `args` before `run` is called, so the narrower parameter types hold.
  return declaration as unknown as FunctionDeclaration;
}
