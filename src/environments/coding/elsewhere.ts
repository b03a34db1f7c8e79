import { listSome, quote } from '../../functions/words.ts';
import type { CodingStart } from './spec.ts';

/** The maximum number of paths in a message. */
const MAX_LISTED = 10;

/**
 * What the files of a task lack because it is stored elsewhere, and what to do.
 * @param submodules the folders of submodules that are not fetched
 * @param pointers the files that are pointers of Git LFS
 */
export function describeElsewhere(
  start: Extract<CodingStart, { readonly kind: 'folder' | 'git' }>,
  submodules: readonly string[],
  pointers: readonly string[],
): readonly { readonly about: 'submodules' | 'lfs'; readonly message: string }[] {
  const isCommit = start.kind === 'git';
  const list = (paths: readonly string[]): string => listSome(paths.map(quote), MAX_LISTED);
  const fetching = isCommit
    ? 'add "submodules": true to "gym"'
    : `run \`git submodule update --init --recursive\` in “${start.folder}”`;
  const pulling = isCommit
    ? 'name a clone as "folder" in which `git lfs pull` has run'
    : `run \`git lfs pull\` in “${start.folder}”`;
  return [
    ...(submodules.length === 0
      ? []
      : [
          {
            about: 'submodules' as const,
            message: `the agent gets no files of submodules, whose folders are empty: ${list(submodules)}. To have them, ${fetching}`,
          },
        ]),
    ...(pointers.length === 0
      ? []
      : [
          {
            about: 'lfs' as const,
            message: `the agent gets pointers in place of the files that Git LFS stores: ${list(pointers)}. To have the files, ${pulling}`,
          },
        ]),
  ];
}
