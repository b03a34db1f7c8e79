import { type DiffLine, diffLines, hunks } from './diff.ts';
import { el } from './dom.ts';
import type { StepText } from './store.ts';

/** How many lines of changes the Step tab shows. */
const SNIPPET = 24;

const signs = { same: ' ', added: '+', removed: '−', changed: '~' } as const;
const words = { same: '', added: 'added: ', removed: 'removed: ', changed: 'changed: ' } as const;

/** The differences of one answer, computed once however often they are drawn. */
const known = new WeakMap<StepText, readonly DiffLine[]>();

export function differences(text: StepText): readonly DiffLine[] {
  let diff = known.get(text);
  if (diff === undefined) {
    const { before } = text;
    const after = text.text ?? '';
    diff = before === null ? diffLines(after, after) : diffLines(before, after);
    known.set(text, diff);
  }
  return diff;
}

/** The whole text with what changed marked. */
export function wholeText(text: StepText): HTMLElement {
  return frame('observation', differences(text));
}

/** Only what changed, with a little around it; null when nothing did. */
export function changedText(text: StepText): HTMLElement | null {
  const diff = differences(text);
  return diff.every((line) => line.kind === 'same') ? null : frame('observation snippet', hunks(diff, 1, SNIPPET));
}

/** `“Voucher applied” appeared, 2 more lines changed` */
export function changeWords(text: StepText): string {
  const diff = differences(text);
  const changed = diff.filter((line) => line.kind !== 'same');
  if (changed.length === 0) return text.before === null ? '' : 'nothing in the text';
  const appeared = changed.map((line) => (line.kind === 'added' ? textOf(line.text) : null)).find((words) => words);
  const more = changed.length - (appeared ? 1 : 0);
  const rest = `${more} ${appeared ? 'more ' : ''}${more === 1 ? 'line' : 'lines'}`;
  return [appeared ? `text “${appeared}” appeared` : null, more > 0 ? rest : null].filter((part) => part).join(', ');
}

/** The words of a line that is text and nothing else. */
function textOf(line: string): string | null {
  return /^\s*(?:\[[^\]]+\]\s*)?StaticText\s+(['"])(.*?)\1/.exec(line)?.[2] ?? null;
}

/** The old line from the word on in which it differs. */
function oldPart(was: string, is: string): string {
  let same = 0;
  while (same < was.length && was[same] === is[same]) same++;
  return was.slice(was.lastIndexOf(' ', same - 1) + 1).trim();
}

/** Lines that did not change are drawn in blocks: a long text is a handful of nodes. */
function frame(name: string, diff: readonly (DiffLine | null)[]): HTMLElement {
  const box = el('div', { class: name, tabindex: 0, role: 'group', 'aria-label': 'Observation text' });
  let same: string[] = [];
  function flush(): void {
    if (same.length > 0) box.append(el('div', { class: 'line is-same' }, same.join('\n')));
    same = [];
  }
  for (const line of diff) {
    if (line === null) {
      flush();
      box.append(el('div', { class: 'line is-gap', 'aria-hidden': 'true' }, '⋯'));
    } else if (line.kind === 'same') same.push(line.text);
    else {
      flush();
      box.append(
        el(
          'div',
          { class: `line is-${line.kind}`, 'data-sign': signs[line.kind] },
          el('span', { class: 'spoken' }, words[line.kind]),
          /^\s*/.exec(line.text)?.[0],
          el('span', { class: 'mark' }, line.text.trimStart()),
          line.kind === 'changed' && el('span', { class: 'was' }, `was ${oldPart(line.was, line.text)}`),
        ),
      );
    }
  }
  flush();
  return box;
}
