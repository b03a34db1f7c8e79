import { isSeq } from 'yaml';
import { applyChange, isEqualJson } from '../../apply-change.ts';
import type { Change } from '../../change.ts';
import { Draft } from '../../draft.ts';
import type { Path } from '../../path.ts';
import { atOnce } from '../../slices.ts';
import type { Json } from '../../task.ts';
import type { OffsetEdit } from '../source.ts';
import { YamlEditor } from './editor.ts';
import { printBlock, yamlStyleOf } from './print.ts';
import { YamlText } from './text.ts';
import { YamlValues } from './value.ts';

/** Members of one name that are taken out one after the other; a text with more is no task. */
const MAX_PASSES = 8;

/**
 * Edits that make changes in a text of YAML, in the layout of the text around them.
 * @param at where the row stands in the text
 * @returns null where the text is broken, or where the changes would mean more than they say: an alias, an anchor
 */
export function editYaml(text: string, at: Path, changes: readonly Change[]): readonly OffsetEdit[] | null {
  const own = changes.map((change): Change => {
    if ('set' in change) return { ...change, set: [...at, ...change.set] };
    return 'rename' in change
      ? { ...change, rename: [...at, ...change.rename] }
      : { remove: [...at, ...change.remove] };
  });
  const style = yamlStyleOf(text);
  return edited(text, own.reduce<Json | undefined>(applyChange, saidBy(text)), (draft) => {
    for (const change of own) {
      let made: ReturnType<YamlEditor['make']> = 'partly';
      for (let round = 0; made === 'partly'; round += 1) {
        if (round > MAX_PASSES) return false;
        const editor = editorOf(draft, style);
        made = editor === null ? 'not' : editor.make(change);
        if (made === 'not') return false;
      }
    }
    return true;
  });
}

/** Edits that put an item into a list. */
export function insertYamlItem(text: string, list: Path, index: number, value: Json): readonly OffsetEdit[] | null {
  const whole = saidBy(text);
  const items = list.reduce<Json | undefined>((holder, step) => (holder as Record<string, Json>)?.[step], whole);
  if (whole === undefined || !Array.isArray(items) || index > items.length) return null;
  if (index === items.length) {
    const change: Change = items.length === 0 ? { set: list, value: [value] } : { set: [...list, index], value };
    return editYaml(text, [], [change]);
  }
  const inserted = applyChange(whole, { set: list, value: (items as readonly Json[]).toSpliced(index, 0, value) });
  return edited(text, inserted, (draft) => editorOf(draft, yamlStyleOf(text))?.insert(list, index, value) === true);
}

/** Edits that make the first row of a text that holds nothing but comments, in a list that more can follow in. */
export function insertIntoEmptyYaml(text: string, index: number, value: Json): readonly OffsetEdit[] | null {
  if (index !== 0) return null;
  const style = yamlStyleOf(text);
  const before = text === '' || text.endsWith('\n') ? '' : style.lineEnd;
  const put = `${before}- ${printBlock(value, style, 2)}${style.lineEnd}`;
  return [{ start: text.length, end: text.length, text: put }];
}

/** Edits that take an item out of a list. */
export function removeYamlItem(text: string, list: Path, index: number): readonly OffsetEdit[] | null {
  return editYaml(text, [], [{ remove: [...list, index] }]);
}

/** Does the work, and makes sure that the text then means what was wanted: YAML has many ways to mean something else. */
function edited(text: string, wanted: Json | undefined, work: (draft: Draft) => boolean): readonly OffsetEdit[] | null {
  if (wanted === undefined) return null;
  const draft = new Draft(text);
  if (!work(draft)) return null;
  const value = saidBy(draft.text);
  return value !== undefined && isEqualJson(value, wanted) ? draft.edits : null;
}

function editorOf(draft: Draft, style: ReturnType<typeof yamlStyleOf>): YamlEditor | null {
  const text = atOnce(YamlText.parse(draft.text, true));
  return isBroken(text) ? null : new YamlEditor(draft, text, style);
}

/** What a text says; undefined where it is broken. */
function saidBy(source: string): Json | undefined {
  const text = YamlText.of(source);
  return isBroken(text) ? undefined : new YamlValues(text).read(text.root, isSeq(text.root) ? 0 : 1).value;
}

function isBroken({ root, syntax }: YamlText): boolean {
  return root === null || syntax.some(({ severity, code }) => severity === 'error' && code !== 'unknown-tag');
}
