import * as z from 'zod';
import { pattern, texts } from './arguments.ts';
import type { FunctionContext, Verdict } from './declaration.ts';
import { declare } from './declare.ts';
import { differenceIn, differenceOf } from './differences.ts';
import { nearest } from './nearest.ts';
import { findPattern } from './pattern.ts';
import { patternDifference } from './pattern-differences.ts';
import { areAll, excerpt, hintFirst, listSome, otherCase, quote, quoteAll } from './words.ts';
import { path, textOf, workspaceOf } from './workspace.ts';

const OF_FILES = { phase: 'evaluate', needs: ['files'], reads: ['files'] } as const;

/** Evaluate functions of files after the agent has ended. */
export const fileFunctions = [
  declare({
    name: 'file_exists',
    ...OF_FILES,
    args: z.tuple([path]),
    parameters: ['path'],
    doc: 'Checks whether the file exists in the task folder.',
    async run(context, file): Promise<Verdict> {
      const bytes = await workspaceOf(context).read(file);
      return bytes === null
        ? noFile(context, file)
        : { value: 1, reason: `“${file}” exists (${bytes.length.toLocaleString('en')} bytes)` };
    },
  }),
  declare({
    name: 'file_contains',
    ...OF_FILES,
    args: z.tuple([path, texts]),
    parameters: ['path', 'text'],
    doc: 'Checks whether the file contains the text, or all texts in a list. Case-sensitive.',
    async run(context, file, expectedTexts): Promise<Verdict> {
      const text = await textOf(workspaceOf(context), file);
      if (text === null) return noFile(context, file);
      const all = typeof expectedTexts === 'string' ? [expectedTexts] : expectedTexts;
      const missing = all.filter((one) => !text.includes(one));
      const [first] = missing;
      if (first === undefined) return { value: 1, reason: `“${file}” contains ${quoteAll(all)}` };
      const hint = otherCase(first, text) || differenceIn(missing, text) || nearestLine(first, text);
      return { value: 0, reason: hintFirst(hint, `${areAll(missing)} not in “${file}”`) };
    },
  }),
  declare({
    name: 'diff_matches',
    phase: 'evaluate',
    needs: ['changes'],
    reads: ['changes'],
    args: z.tuple([pattern, path.optional()]),
    parameters: ['pattern', 'path?'],
    doc: 'Checks whether the pattern (Python syntax) matches the unified diff of the changes by the agent, in all files or in one.',
    async run(context, regex, file): Promise<Verdict> {
      const { changes } = workspaceOf(context);
      if (changes === undefined)
        throw new Error('this environment does not track changes; use the environment type coding');
      const allChanges = await changes.call(context.workspace);
      const of = file === undefined ? allChanges : allChanges.filter((one) => one.path === file);
      if (of.length === 0) {
        const others = allChanges.length === 0 ? 'nothing was changed' : `changed: ${namesOf(allChanges)}`;
        return { value: 0, reason: file === undefined ? others : `“${file}” was not changed; ${others}` };
      }
      const { unifiedDiff } = await import('./unified-diff.ts');
      const diff = of.map(unifiedDiff).join('');
      const [match] = findPattern(regex, [diff]);
      if (match !== undefined) {
        return { value: 1, reason: `the pattern matches ${excerpt(match)} in the diff of ${namesOf(of)}` };
      }
      const failure = `the pattern ${quote(regex)} does not match the diff of ${namesOf(of)}`;
      return { value: 0, reason: hintFirst(patternDifference(regex, [diff]), failure) };
    },
  }),
];

function nearestLine(expected: string, text: string): string {
  const line = nearest(expected, text.split('\n'), (one) => one);
  return line === undefined ? '' : `the nearest line: ${excerpt(line)}`;
}

function namesOf(changes: readonly { readonly path: string }[]): string {
  const names = changes.map(({ path: name }) => `“${name}”`);
  return listSome(names, 3);
}

/** With `; similar: “src/main.py”`, among the added and changed files. */
async function noFile({ workspace }: FunctionContext, file: string): Promise<Verdict> {
  const files = ((await workspace?.changes?.()) ?? []).filter(({ kind }) => kind !== 'removed');
  const like = nearest(file, files, ({ path: name }) => name);
  const hint = like === undefined ? '' : `; similar: “${like.path}”`;
  const difference = like === undefined ? '' : differenceOf(file, like.path);
  return { value: 0, reason: hintFirst(difference, `the file “${file}” does not exist${hint}`) };
}
