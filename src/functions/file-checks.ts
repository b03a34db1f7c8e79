import * as z from 'zod';
import { pattern, texts } from './arguments.ts';
import type { Verdict } from './declaration.ts';
import { declare } from './declare.ts';
import { nearest } from './nearest.ts';
import { findPattern } from './pattern.ts';
import { areAll, excerpt, hintFirst, list, otherCase, quote, quoteAll } from './words.ts';
import { path, textOf, workspaceOf } from './workspace.ts';

/** Checks of the files that the agent leaves. */
export const fileChecks = [
  declare({
    name: 'file_exists',
    phase: 'evaluate',
    needs: ['files'],
    args: z.tuple([path]),
    parameters: ['path'],
    doc: 'Whether there is a file of that path in the folder of the task.',
    async run(context, file): Promise<Verdict> {
      const found = await workspaceOf(context).read(file);
      return found === null
        ? { value: 0, reason: `there is no file “${file}”${await namedLike(context.workspace, file)}` }
        : { value: 1, reason: `“${file}” exists (${found.length.toLocaleString('en')} bytes)` };
    },
  }),
  declare({
    name: 'file_contains',
    phase: 'evaluate',
    needs: ['files'],
    args: z.tuple([path, texts]),
    parameters: ['path', 'text'],
    doc: 'Whether the file contains the text, or all texts of a list. Upper and lower case differ.',
    async run(context, file, wanted): Promise<Verdict> {
      const text = await textOf(workspaceOf(context), file);
      if (text === null) {
        return { value: 0, reason: `there is no file “${file}”${await namedLike(context.workspace, file)}` };
      }
      const all = typeof wanted === 'string' ? [wanted] : wanted;
      const missing = all.filter((one) => !text.includes(one));
      const [first] = missing;
      if (first === undefined) return { value: 1, reason: `“${file}” contains ${quoteAll(all)}` };
      const line = nearest(first, text.split('\n'), (one) => one);
      const hint = otherCase(first, text) || (line === undefined ? '' : `the nearest line: ${excerpt(line)}`);
      return { value: 0, reason: hintFirst(hint, `${areAll(missing)} not in “${file}”`) };
    },
  }),
  declare({
    name: 'diff_matches',
    phase: 'evaluate',
    needs: ['changes'],
    args: z.tuple([pattern, path.optional()]),
    parameters: ['pattern', 'path?'],
    doc: "Whether the pattern (Python's notation) is found in the unified diff of what the agent changed, in all files or in one.",
    async run(context, wanted, file): Promise<Verdict> {
      const { changes } = workspaceOf(context);
      if (changes === undefined)
        throw new Error('this environment does not know what was changed; use one of type coding');
      const changed = await changes.call(context.workspace);
      const of = file === undefined ? changed : changed.filter((one) => one.path === file);
      if (of.length === 0) {
        const others = changed.length === 0 ? 'nothing was changed' : `changed: ${named(changed)}`;
        return { value: 0, reason: file === undefined ? others : `“${file}” was not changed; ${others}` };
      }
      const { unifiedDiff } = await import('./unified-diff.ts');
      const [match] = findPattern(wanted, [of.map(unifiedDiff).join('')]);
      return match === undefined
        ? { value: 0, reason: `the pattern ${quote(wanted)} is not found in the diff of ${named(of)}` }
        : { value: 1, reason: `the pattern finds ${excerpt(match)} in the diff of ${named(of)}` };
    },
  }),
];

function named(changes: readonly { readonly path: string }[]): string {
  const [first, second, third, ...more] = changes.map(({ path: name }) => `“${name}”`);
  const shown = [first, second, third].filter((name) => name !== undefined);
  return more.length === 0 ? list(shown) : `${shown.join(', ')} and ${more.length} more`;
}

/** `; there is “src/main.py”`, of what was added or changed. */
async function namedLike(
  workspace: { changes?(): Promise<readonly { readonly path: string; readonly kind: string }[]> } | undefined,
  wanted: string,
): Promise<string> {
  const there = ((await workspace?.changes?.()) ?? []).filter(({ kind }) => kind !== 'removed');
  const like = nearest(wanted, there, ({ path: name }) => name);
  return like === undefined ? '' : `; there is “${like.path}”`;
}
