import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './places.ts';

const CALL = /\bl10n\.t\(\s*/g;
const LITERAL = /('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")\s*[,)]/y;

/** Every message that the programs and the webviews pass to `l10n.t`, sorted. Throws for one that is not a literal. */
export async function readMessages(): Promise<readonly string[]> {
  const messages = new Set<string>();
  for (const folder of ['src', 'webview']) {
    for (const name of await readdir(join(root, folder), { recursive: true })) {
      if (!name.endsWith('.ts')) continue;
      for (const message of messagesIn(await readFile(join(root, folder, name), 'utf8'), `${folder}/${name}`)) {
        messages.add(message);
      }
    }
  }
  return [...messages].sort();
}

/** The messages in one source text. */
export function messagesIn(text: string, file: string): readonly string[] {
  return [...text.matchAll(CALL)].map((call) => {
    LITERAL.lastIndex = call.index + call[0].length;
    const literal = LITERAL.exec(text)?.[1];
    const line = text.slice(0, call.index).split('\n').length;
    if (literal === undefined) throw new Error(`${file}:${line}: the message of l10n.t must be a string literal`);
    return unescapeLiteral(literal);
  });
}

/** The content of `l10n/bundle.l10n.json`: each message under itself. Translations use the same keys. */
export function bundleOf(messages: readonly string[]): string {
  return `${JSON.stringify(Object.fromEntries(messages.map((message) => [message, message])), null, 2)}\n`;
}

function unescapeLiteral(literal: string): string {
  const inside = literal.slice(1, -1);
  return JSON.parse(
    `"${literal.startsWith("'") ? inside.replaceAll('"', '\\"').replaceAll("\\'", "'") : inside}"`,
  ) as string;
}
