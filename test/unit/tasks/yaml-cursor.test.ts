import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Lines } from '../../../src/base/lines.ts';
import { readTasks } from '../../../src/tasks/read.ts';
import { caseCount } from '../../sample.ts';

/** What stands where `‸` is, in few words: `key a.b "before|after" !` (`!`: nothing follows it yet). */
function at(markedText: string): string {
  const offset = markedText.indexOf('‸');
  const text = markedText.replace('‸', '');
  const cursor = readTasks('/a.tasks.yaml', text).cursor(new Lines(text).position(offset));
  if (cursor === undefined) return 'nothing';
  const lines = new Lines(text);
  const [start, end] = [lines.offset(cursor.range.start), lines.offset(cursor.range.end)];
  const quoted = cursor.quoted ? ' quoted' : '';
  const token = start === end ? '' : ` <${text.slice(start, end)}>`;
  const written = cursor.before === '' && (cursor.after ?? '') === '' ? '' : ` ${cursor.before}|${cursor.after ?? ''}`;
  return `${cursor.at} ${cursor.path.join('.')}${token}${written}${quoted}${cursor.followed ? '' : ' !'}`.replace(
    / +/g,
    ' ',
  );
}

describe('what is at a position in YAML', () => {
  it.each([
    ['- id: a\n  gym: ‸', 'value gym'],
    ['- id: a\n  gym: ‸\n  prompt: p\n', 'value gym'],
    ['- id: a\n  gym: ‸ # why\n', 'value gym'],
    ['- id: a\n  gym: # why‸\n', 'between gym !'],
    ['- id: a\n  gym:‸\n', 'key <gym:> gym| !'],
    ['- id: a\n  gym: hud-bro‸wser\n', 'value gym <hud-browser> hud-bro|wser'],
    ['- id: a\n  gym: "hud-bro‸wser"\n', 'value gym <"hud-browser"> hud-bro|wser quoted'],
    ["- id: a\n  gym: 'it''s‸'\n", "value gym <'it''s'> it's| quoted"],
    ['- id: a\n  gym: "hud-bro‸\n  prompt: p\n', 'value gym <"hud-bro> hud-bro| quoted'],
    ['- id: a\n  eval‸\n', 'key <eval> eval| !'],
    ['- id: a\n  eval‸uate: []\n', 'key <evaluate> eval|uate'],
    ['- id: a\n  "eval‸uate": []\n', 'key <"evaluate"> eval|uate quoted'],
    ['- id: a\n  ‸\n', 'key !'],
    ['- id: a\n  ‸', 'key !'],
    ['- id: a\n  ‸\n  prompt: p\n', 'key !'],
    ['- id: a\n‸\n- id: b\n', 'between !'],
    ['- ‸', 'key !'],
    ['- i‸', 'key <i> i| !'],
    ['-\n  ‸', 'key !'],
    ['- id: a\n- ‸\n- id: c\n', 'key !'],
    ['tasks:\n  - id: a\n    ‸\n', 'key !'],
    ['tasks:\n- id: a\n  ‸\n', 'key !'],
    ['id: a\n‸', 'key !'],
    ['id: a\ngy‸\n', 'key <gy> gy| !'],
    ['id: a\ngym: q‸\n', 'value gym <q> q|'],
    ['gy‸', 'key <gy> gy| !'],
  ])('keys and values of a task: %j', (text, expected) => {
    expect(at(text)).toBe(expected);
  });

  it.each([
    ['- setup:\n    - ‸', 'value setup.0'],
    ['- setup:\n    - function: goto\n    - ‸', 'value setup.1'],
    ['- setup:\n  - function: goto\n  - ‸', 'value setup.1'],
    ['- setup:\n    - got‸', 'value setup.0 <got> got|'],
    ['- setup:\n    - function: got‸', 'value setup.0.function <got> got|'],
    ['- setup:\n    - function: goto\n      ar‸', 'key setup.0 <ar> ar| !'],
    ['- setup:\n    - function: goto\n      ‸', 'key setup.0 !'],
    ['- setup:\n    - function: goto\n      args:\n        - ‸', 'value setup.0.args.0'],
    ['- setup:\n    - function: goto\n  ‸', 'key !'],
    ['- setup:\n  - function: goto\n  ‸', 'key !'],
    ['- setup:\n  - function: goto\n  eva‸', 'key <eva> eva| !'],
    ['- setup:\n    ‸', 'value setup'],
    ['- setup:\n    - - goto\n      - sho‸p', 'value setup.0.1 <shop> sho|p'],
    ['- metadata:\n    a: 1\n    ‸\n  id: x\n', 'key metadata !'],
    ['- evaluate:\n    function: url_‸match\n', 'value evaluate.function <url_match> url_|match'],
  ])('lists and mappings inside it: %j', (text, expected) => {
    expect(at(text)).toBe(expected);
  });

  it.each([
    ['- evaluate: [page_contains, "x‸"]', 'value evaluate.1 <"x"> x| quoted !'],
    ['- evaluate: [page_contains, ‸]', 'value evaluate.1 !'],
    ['- evaluate: [‸]', 'value evaluate.0 !'],
    ['- evaluate: [‸, x]', 'value evaluate.0'],
    ['- evaluate: [page_‸contains, x]', 'value evaluate.0 <page_contains> page_|contains'],
    ['- evaluate: [page_contains, "x‸\n  id: y\n', 'value evaluate.1 <"x> x| quoted !'],
    ['- evaluate: {fun‸: x}', 'key evaluate <fun> fun|'],
    ['- evaluate: {fun‸', 'key evaluate <fun> fun| !'],
    ['- evaluate: {function: ‸}', 'value evaluate.function !'],
    ['- evaluate: {function: x, ‸}', 'key evaluate !'],
    ['- evaluate: {function: x, args: [a, ‸', 'value evaluate.args.1 !'],
    ['- evaluate:\n    - {function: page_contains,\n       args: ["‸"]}\n', 'value evaluate.0.args.0 <""> quoted !'],
    ['- evaluate: [a, b] ‸', 'between evaluate !'],
    ['- evaluate: {"function": "url_‸match"}', 'value evaluate.function <"url_match"> url_|match quoted !'],
    ['[{id: a}, {id: b, gym: q‸}]', 'value gym <q> q| !'],
    ['tasks: [{id: a, ‸}]', 'key !'],
  ])('flow style: %j', (text, expected) => {
    expect(at(text)).toBe(expected);
  });

  it.each([
    ['- prompt: |\n    Buy‸ it\n    now\n  gym: qa\n', 'value prompt <|\n Buy it\n now> Buy|'],
    ['- prompt: |\n    a\n    - b: ‸c\n  gym: qa\n', 'value prompt <|\n a\n - b: c> a\n- b: |'],
    ['- prompt: |\n    a\n  ‸\n', 'key !'],
    ['- prompt: |\n    a\n\n  gym: ‸\n', 'value gym'],
    ['- prompt: Buy\n    it‸ now\n', 'value prompt <it now> it| now'],
    ['- prompt: "Buy\n    gym: ‸x"\n  gym: qa\n', 'value prompt <"Buy\n gym: x"> Buy\n gym: |x quoted'],
    ['- prompt: Buy ‸', 'value prompt <Buy > Buy |'],
    ['- prompt: a # gym: ‸', 'between prompt !'],
    ['# a ‸\n- id: a\n', 'nothing'],
    ['- id: &x a‸\n  y: *x\n', 'value id <a> a|'],
  ])('multiline strings, comments, anchors: %j', (text, expected) => {
    expect(at(text)).toBe(expected);
  });

  it('in CRLF', () => {
    expect(at('- id: a\r\n  gym: ‸\r\n  prompt: p\r\n')).toBe('value gym');
    expect(at('- id: a\r\n  ‸\r\n')).toBe('key !');
    expect(at('- prompt: |\r\n    a\r\n    b‸\r\n')).toBe('value prompt <|\r\n a\r\n b> a\nb|');
  });

  it('recognizes what separates items: a new line, and a dash in lists', () => {
    const between = (text: string) => {
      const offset = text.indexOf('‸');
      const plain = text.replace('‸', '');
      return readTasks('/a.tasks.yaml', plain).cursor(new Lines(plain).position(offset))?.between;
    };
    expect(between('- setup:\n    - ‸')).toBe('\n    - ');
    expect(between('- setup:\n    - go‸to\n')).toBe('\n    - ');
    expect(between('- id: a\n  gy‸')).toBe('\n  ');
    expect(between('- id: a\n  ‸')).toBe('\n  ');
    expect(between('- setup: [‸]')).toBeUndefined();
    expect(between('- gym: q‸\n')).toBe('\n  ');
  });

  it('never fails, wherever a text is truncated', { timeout: 60_000 }, () => {
    const text =
      '# x\nname: s\ntasks:\n  - id: "a\\n"\n    prompt: |\n      b: c\n\n    setup: [goto, {a: \'b\', c: [1]}]\n  -\n    evaluate:\n    - function: f\n      args: ["x", *y]\n    ? z\n';
    fc.assert(
      fc.property(fc.nat(text.length), fc.nat(text.length), fc.string({ maxLength: 3 }), (cut, where, put) => {
        const source = text.slice(0, cut) + put;
        const file = readTasks('/a.tasks.yaml', source);
        const lines = new Lines(source);
        const cursor = file.cursor(lines.position(Math.min(where, source.length)));
        if (cursor === undefined) return;
        const offset = Math.min(where, source.length);
        expect(lines.offset(cursor.range.start)).toBeLessThanOrEqual(offset);
        expect(lines.offset(cursor.range.end)).toBeGreaterThanOrEqual(offset);
      }),
      { numRuns: caseCount(300, 2_000) },
    );
  });
});
