import type { DebugProtocol } from '@vscode/debugprotocol';
import { builtins } from '../functions/catalogue.ts';
import { PAGE_QUESTIONS } from '../functions/page/questions.ts';

/** Names that the debug console and conditions know; see `lookUpName`. */
const NAMES = [
  'response',
  'step',
  'url',
  'title',
  'args',
  'value',
  'reason',
  'actions',
  'scores',
  'task',
  'observation',
  ...PAGE_QUESTIONS.map((name) => `page.${name}()`),
  'page.locator(',
];

/** Completions at a position in the debug console. */
export function completionsAt(text: string, column: number): DebugProtocol.CompletionItem[] {
  const word = /[\w.]*$/.exec(text.slice(0, column))?.[0] ?? '';
  const replacement = { start: column - word.length, length: word.length };
  const functions = builtins
    .filter(({ name, notRun }) => name.startsWith(word) && notRun !== true)
    .map(
      ({ name, parameters, phase }): DebugProtocol.CompletionItem => ({
        label: `${name}(${parameters.join(', ')})`,
        text: `${name}(`,
        type: 'function',
        detail: phase,
        ...replacement,
      }),
    );
  const names = NAMES.filter((name) => name.startsWith(word));
  return [
    ...names.map((label): DebugProtocol.CompletionItem => ({ label, type: 'variable', ...replacement })),
    ...functions,
  ];
}
