import { isSeq } from 'yaml';
import type { Json } from '../../../base/json.ts';
import { type Path, valueAt } from '../../../base/path.ts';
import { runToEnd } from '../../../base/slices.ts';
import { applyChange, isEqualJson } from '../../apply-change.ts';
import type { Change } from '../../change.ts';
import { Draft } from '../../draft.ts';
import { applyChanges } from '../editor.ts';
import type { OffsetEdit } from '../source.ts';
import { YamlEditor } from './editor.ts';
import { printBlock, yamlStyleOf } from './print.ts';
import { YamlText } from './text.ts';
import { YamlValues } from './value.ts';

/**
 * Returns edits that apply changes to a YAML text, in the layout of the surrounding text.
 * @param at offset of the row in the text
 * @returns null if the text is broken, or the changes would affect other values: an alias, an anchor
 */
export function editYaml(text: string, at: Path, changes: readonly Change[]): readonly OffsetEdit[] | null {
  const own = changes.map((change): Change => {
    if ('set' in change) return { ...change, set: [...at, ...change.set] };
    return 'rename' in change
      ? { ...change, rename: [...at, ...change.rename] }
      : { remove: [...at, ...change.remove] };
  });
  const style = yamlStyleOf(text);
  const value = own.reduce<Json | undefined>(applyChange, readValue(text));
  return editTo(text, value, (draft) => applyChanges(own, () => editorOf(draft, style)));
}

/** Edits that insert an item into a list. */
export function insertYamlItem(text: string, list: Path, index: number, value: Json): readonly OffsetEdit[] | null {
  const whole = readValue(text);
  const items = valueAt(whole, list) as Json | undefined;
  if (!Array.isArray(items) || index > items.length) return null;
  if (index === items.length) {
    const change: Change = items.length === 0 ? { set: list, value: [value] } : { set: [...list, index], value };
    return editYaml(text, [], [change]);
  }
  const result = applyChange(whole, { set: list, value: (items as readonly Json[]).toSpliced(index, 0, value) });
  return editTo(text, result, (draft) => editorOf(draft, yamlStyleOf(text))?.insert(list, index, value) === true);
}

/** Edits that create the first row of a text with nothing but comments, in a list to which more can be added. */
export function insertIntoEmptyYaml(text: string, index: number, value: Json): readonly OffsetEdit[] | null {
  if (index !== 0) return null;
  const style = yamlStyleOf(text);
  const before = text === '' || text.endsWith('\n') ? '' : style.lineEnd;
  const put = `${before}- ${printBlock(value, style, 2)}${style.lineEnd}`;
  return [{ start: text.length, end: text.length, text: put }];
}

/** Runs the edit and verifies that the new text has the intended value, because YAML is easy to get wrong. */
function editTo(
  text: string,
  expectation: Json | undefined,
  work: (draft: Draft) => boolean,
): readonly OffsetEdit[] | null {
  if (expectation === undefined) return null;
  const draft = new Draft(text);
  if (!work(draft)) return null;
  const value = readValue(draft.text);
  return value !== undefined && isEqualJson(value, expectation) ? draft.edits : null;
}

function editorOf(draft: Draft, style: ReturnType<typeof yamlStyleOf>): YamlEditor | null {
  const text = runToEnd(YamlText.parse(draft.text, true));
  return text.root === null || text.isBroken ? null : new YamlEditor(draft, text, style);
}

/** The value of a text; undefined if it is broken. */
function readValue(source: string): Json | undefined {
  const text = YamlText.of(source);
  return text.root === null || text.isBroken
    ? undefined
    : new YamlValues(text).read(text.root, isSeq(text.root) ? 0 : 1).value;
}
