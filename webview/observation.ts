import * as l10n from '@vscode/l10n';
import { plural } from '../src/presentation/plural.ts';
import { type DiffLine, diffLines, hunks } from './diff.ts';
import { el } from './dom.ts';
import type { StepText } from './store.ts';

/** Maximum number of changed lines in the Step tab. */
const SNIPPET = 24;

const signs = { same: ' ', added: '+', removed: '−', changed: '~' } as const;
const labels = {
  same: '',
  added: `${l10n.t('added')}: `,
  removed: `${l10n.t('removed')}: `,
  changed: `${l10n.t('changed')}: `,
} as const;

/** Caches the differences of a text. */
const diffs = new WeakMap<StepText, readonly DiffLine[]>();

export function differences(text: StepText): readonly DiffLine[] {
  let diff = diffs.get(text);
  if (diff === undefined) {
    const { before } = text;
    const after = text.text ?? '';
    diff = before === null ? diffLines(after, after) : diffLines(before, after);
    diffs.set(text, diff);
  }
  return diff;
}

/** The full text with changes marked. */
export function wholeText(text: StepText): HTMLElement {
  return frame('observation', differences(text));
}

/** The changes with one line of context; null if there are none. */
export function changedText(text: StepText): HTMLElement | null {
  const diff = differences(text);
  return diff.every((line) => line.kind === 'same') ? null : frame('observation snippet', hunks(diff, 1, SNIPPET));
}

/** `new text “Voucher applied”, 2 more lines` */
export function changeSummary(text: StepText): string {
  const diff = differences(text);
  const changes = diff.filter((line) => line.kind !== 'same');
  if (changes.length === 0) return text.before === null ? '' : l10n.t('no text changes');
  const newText = changes.map((line) => (line.kind === 'added' ? textOf(line.text) : null)).find((words) => words);
  const more = changes.length - (newText ? 1 : 0);
  const others = newText
    ? plural(more, l10n.t('1 more line'), l10n.t('{0} more lines', more))
    : plural(more, l10n.t('1 line'), l10n.t('{0} lines', more));
  return [newText ? l10n.t('new text “{0}”', newText) : null, more > 0 ? others : null]
    .filter((part) => part)
    .join(', ');
}

/** The content of a line that is only text. */
function textOf(line: string): string | null {
  return /^\s*(?:\[[^\]]+\]\s*)?StaticText\s+(['"])(.*?)\1/.exec(line)?.[2] ?? null;
}

/** The old line, starting with the first word that differs. */
function oldPart(was: string, is: string): string {
  let equalLength = 0;
  while (equalLength < was.length && was[equalLength] === is[equalLength]) equalLength++;
  return was.slice(was.lastIndexOf(' ', equalLength - 1) + 1).trim();
}

/** Unchanged lines share an element, so that a long text has few elements. */
function frame(name: string, diff: readonly (DiffLine | null)[]): HTMLElement {
  const box = el('div', { class: name, tabindex: 0, role: 'group', 'aria-label': l10n.t('Observation text') });
  let equalLines: string[] = [];
  function flush(): void {
    if (equalLines.length > 0) box.append(el('div', { class: 'line is-same' }, equalLines.join('\n')));
    equalLines = [];
  }
  for (const line of diff) {
    if (line === null) {
      flush();
      box.append(el('div', { class: 'line is-gap', 'aria-hidden': 'true' }, '⋯'));
    } else if (line.kind === 'same') equalLines.push(line.text);
    else {
      flush();
      box.append(
        el(
          'div',
          { class: `line is-${line.kind}`, 'data-sign': signs[line.kind] },
          el('span', { class: 'visually-hidden' }, labels[line.kind]),
          /^\s*/.exec(line.text)?.[0],
          el('span', { class: 'mark' }, line.text.trimStart()),
          line.kind === 'changed' && el('span', { class: 'was' }, l10n.t('was {0}', oldPart(line.was, line.text))),
        ),
      );
    }
  }
  flush();
  return box;
}
