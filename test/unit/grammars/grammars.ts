import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createRegistry } from 'vscode-tmgrammar-test/dist/common/index.js';
import { getVSCodeTokens, renderSnap } from 'vscode-tmgrammar-test/dist/snapshot/index.js';

const root = join(import.meta.dirname, '..', '..', '..');

interface Contributed {
  readonly scopeName: string;
  readonly path: string;
  readonly injectTo?: string[];
}

/** The grammars that the extension in a folder contributes. */
export async function grammarsOf(folder: string): Promise<Contributed[]> {
  const { contributes } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const grammars: Contributed[] = contributes.grammars;
  return grammars.map((grammar) => ({ ...grammar, path: join(folder, grammar.path) }));
}

/** Our own grammars. */
export const ours = (): Promise<Contributed[]> => grammarsOf(root);

export interface Coloured {
  /** The text with the scopes of each token below it. */
  readonly snapshot: string;
  /** `word: innermost scope` of every token that the wanted scope begins. */
  words(scope: string): string[];
}

/** Tokens of a file of test/fixtures/grammars. Of grammars with the same scope the first counts. */
export async function colour(grammars: readonly Contributed[], scope: string, name: string): Promise<Coloured> {
  const seen = new Map([...grammars].reverse().map((grammar) => [grammar.scopeName, grammar]));
  const text = await readFile(join(root, 'test', 'fixtures', 'grammars', name), 'utf8');
  const lines = await getVSCodeTokens(createRegistry([...seen.values()] as never), scope, text);
  return {
    snapshot: `${renderSnap(lines)}\n`,
    words: (wanted) =>
      lines.flatMap(({ src, tokens }) =>
        tokens
          .filter(({ scopes }) => scopes.at(-1)?.startsWith(wanted) === true)
          .map(({ startIndex, endIndex }) => src.slice(startIndex, endIndex)),
      ),
  };
}

/** Where the recorded tokens of a file are kept. */
export const snapshotOf = (name: string): string =>
  join(root, 'test', 'fixtures', 'grammars', 'snapshots', `${name}.snap`);
