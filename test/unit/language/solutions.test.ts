import { describe, expect, it } from 'vitest';
import { ACTION_FUNCTIONS } from '../../../src/actions/signatures.ts';
import { diagnoseSolution } from '../../../src/language/solutions/findings.ts';
import { solutionCompletions, solutionHover } from '../../../src/language/solutions/typing.ts';

/** Each finding with the text that it stands under. */
function listFindings(text: string): string[] {
  const lines = text.split('\n');
  return diagnoseSolution('/tasks/buy.actions', text).map(({ range, code, message }) => {
    expect(range.end.line).toBe(range.start.line);
    const under = lines[range.start.line]?.slice(range.start.character, range.end.character);
    return `${range.start.line}: ${under} · ${code} · ${message}`;
  });
}

/** The text after the first fix of every finding. */
function applyFixes(text: string): string {
  const lines = text.split('\n');
  for (const { fixes } of diagnoseSolution('/tasks/buy.actions', text)) {
    for (const { range, text: put } of fixes?.()[0]?.edits ?? []) {
      const line = lines[range.start.line] ?? '';
      lines[range.start.line] = line.slice(0, range.start.character) + put + line.slice(range.end.character);
    }
  }
  return lines.join('\n');
}

describe('a solution', () => {
  it.each([
    ['calls, comments, blank lines', "# buy\n\n// it\nclick('#buy')\r\nfill('#name', 'Ada') # hers\n"],
    ['a byte order mark', "\uFEFFclick('#buy')\n"],
    ['the short forms of OpenEnv’s proposal', 'click(#buy)\nfill(#name,Ada)\nscroll(down)\n'],
    ['actions of HUD as JSON', '{"type": "click", "point": {"x": 1, "y": 2}}\n'],
    ['several actions in a line, words between them', "I click('#a') and then press('#b', 'Enter')\n"],
    ['nothing at all', ''],
  ])('has nothing wrong: %s', (_, text) => {
    expect(listFindings(text)).toEqual([]);
  });

  it('a misspelled action is reported and fixed at its name', () => {
    const text = "click('#buy')\n  \tclick('#a') fil('#name', 'fil(')\r\n";
    expect(listFindings(text)).toEqual(['1: fil · unknown-action · Unknown action “fil”. Did you mean “fill”?']);
    expect(applyFixes(text)).toBe("click('#buy')\n  \tclick('#a') fill('#name', 'fil(')\r\n");
  });

  it('an integer with more digits than a number keeps is reported where it is', () => {
    const text = '{"type": "custom", "action": "open", "args": {"ids": [1, 9007199254740993]}}\n';
    expect(listFindings(text)).toEqual([
      '0: 9007199254740993 · invalid-action · custom: args.ids.1: only integers from -9007199254740991 to 9007199254740991 keep all digits; write it as a string',
    ]);
  });

  it('a carriage return ends a line, as in an editor', () => {
    const text = "# buy\rclick('#buy')\r\r  clik('#a')\r\nfil('#b')\n";
    const places = diagnoseSolution('/tasks/buy.actions', text).map(({ range, code }) => [range, code]);
    const at = (line: number, start: number, end: number) => ({
      start: { line, character: start },
      end: { line, character: end },
    });
    expect(places).toEqual([
      [at(3, 2, 6), 'unknown-action'],
      [at(4, 0, 3), 'unknown-action'],
    ]);
  });

  it('a tab in a text does not shift the range', () => {
    expect(listFindings("fill('#a', '\tx\t') clik('#b')")[0]).toMatch(/^0: clik · unknown-action/);
  });

  it('an action that resembles no other is reported, too', () => {
    expect(listFindings("teleport('#a')")).toEqual(['0: teleport · unknown-action · Unknown action “teleport”']);
  });

  it('invalid arguments are reported at their call', () => {
    expect(listFindings("click('#a') fill('#name')")).toEqual([
      "0: fill('#name') · invalid-action · fill: missing a required argument: 'value'",
    ]);
    expect(listFindings("press('Enter')")[0]).toMatch(/keyboard_press\('Enter'\)/);
    expect(listFindings("fill('#a', '\\x4')")[0]).toMatch(/^0: fill.*· invalid-action · a string holds an escape/);
  });

  it('a line that is not an action is reported', () => {
    expect(listFindings('  click it\ntype(')).toEqual([
      expect.stringMatching(/^0: click it · no-action · This line is not an action/),
      expect.stringMatching(/^1: type\( · no-action/),
    ]);
  });

  it('JSON is checked, too', () => {
    expect(listFindings('{"type": "clik"}')).toEqual([
      '0: clik · unknown-action · Unknown action type “clik”. Did you mean “click”?',
    ]);
    expect(applyFixes('{"type": "clik"}')).toBe('{"type": "click"}');
    expect(listFindings('{"type": "click"')[0]).toMatch(/· no-action · Invalid JSON: /);
    expect(listFindings('{"kind": "click"}')[0]).toMatch(/· invalid-action · An action requires a "type"/);
    expect(listFindings('{"type": "type"}')[0]).toMatch(/· invalid-action · type: text: /);
    expect(listFindings('{"type": "press", "keys": ["ctrl", "Entr"]}')).toEqual([
      expect.stringMatching(
        /^0: Entr · invalid-action · press: keys.1: expected a lowercase key name.* Did you mean “enter”/,
      ),
    ]);
    expect(applyFixes('{"type": "press", "keys": ["ctrl", "Entr"]}')).toBe(
      '{"type": "press", "keys": ["ctrl", "enter"]}',
    );
    expect(listFindings('{"type": "click", "point": {"x": 1.5, "y": 2}}')[0]).toMatch(
      /^0: 1.5 · invalid-action · click: point.x/,
    );
    expect(listFindings('{"type": "wait"}')[0]).toMatch(/^0: {"type": "wait"} · invalid-action · wait: time/);
  });

  it('an unknown field of an action is a warning, with a fix if a similar field exists', () => {
    expect(listFindings('{"type": "click", "selector": "#buy"}')).toEqual([
      expect.stringMatching(
        /^0: "selector" · ignored-field · “selector” is not a field of click.*HUD 0.2.10.*HUD 0.2.0/,
      ),
    ]);
    expect(applyFixes('{"type": "scroll", "hold_key": ["ctrl"]}')).toBe('{"type": "scroll", "hold_keys": ["ctrl"]}');
    expect(diagnoseSolution('/tasks/buy.actions', '{"type": "wait", "time": 1, "x": 1}')[0]?.severity).toBe('warning');
  });

  it('a very long file is checked up to a limit', () => {
    expect(listFindings("fil('#a')\n".repeat(100_000))).toHaveLength(5000);
    expect(listFindings(`fil('${'a'.repeat(1_000_000)}')\nclik('#a')`)).toHaveLength(1);
  });
});

describe('editing a solution', () => {
  it('hovering over an action shows what it does', () => {
    expect(solutionHover("  fill('#a', 'b')", 4)).toEqual({
      start: 2,
      end: 6,
      text: '```python\nfill(bid, value, enable_autocomplete_menu=False)\n```\n\nReplaces the text of a field.',
    });
    expect(solutionHover("response('4')", 0)?.text).toContain('Only in Taskwright');
    expect(solutionHover("fill('#a', 'b')", 8)).toBeNull();
    expect(solutionHover("# fill('#a')", 3)).toBeNull();
    expect(solutionHover("toString('#a')", 3)).toBeNull();
  });

  it('every action is offered at the beginning of a line only, with placeholders for its arguments', () => {
    const offers = solutionCompletions('  fi', 4);
    expect(offers.map(({ name }) => name)).toEqual(ACTION_FUNCTIONS);
    expect(offers.find(({ name }) => name === 'fill')).toMatchObject({
      parameters: '(bid, value)',
      snippet: "fill('${1:bid}', '${2:value}')",
    });
    expect(solutionCompletions("fill('", 6)).toEqual([]);
    expect(solutionCompletions('# fi', 4)).toEqual([]);
    expect(solutionCompletions("fill('#a')", 2)).toEqual([]);
  });

  it('each offered text is a valid action, except for numbers and lists to fill in', () => {
    for (const { snippet } of solutionCompletions('', 0)) {
      const texts = /^\w+\((?:'\$\{\d+:\w+\}'(?:, )?)*\)$/.test(snippet);
      const text = snippet.replace(/\$\{\d+:(\w+)\}/g, texts ? '$1' : '1');
      expect(listFindings(text).filter((finding) => !finding.includes('points'))).toEqual([]);
    }
  });
});

describe('a solution for an environment with actions of its own form', () => {
  const said = (text: string) =>
    diagnoseSolution('/t/a.actions', text, { dialect: 'object' }).map(({ code, range }) => [code, range.start.line]);

  it('accepts any object and a response, and rejects other calls and invalid JSON', () => {
    expect(said('{"move": "UP"}\nresponse("4")\n# a comment\nreport_infeasible("no way")')).toEqual([]);
    expect(said('click(\'#a\')\nUP\n{"move": ')).toEqual([
      ['unknown-action', 0],
      ['unknown-action', 1],
      ['no-action', 2],
    ]);
  });

  it('reports integers with more digits than a number keeps where they are', () => {
    const text = '{"name": "follow", "arguments": {"id": 1234567890123456789}}';
    const [finding] = diagnoseSolution('/t/a.actions', text, { dialect: 'object' });
    expect(finding).toMatchObject({
      code: 'invalid-action',
      message: 'only integers from -9007199254740991 to 9007199254740991 keep all digits',
      range: { start: { line: 0, character: 39 }, end: { line: 0, character: 58 } },
    });
  });

  it('takes those of Taskwright beside the own ones, where an environment may have a page', () => {
    const schema = { type: 'object', properties: { name: { enum: ['add'] } }, required: ['name'] };
    const text =
      'click("#a")\n{"name": "add"}\n{"type": "click"}\n{"name": "sub", "type": "x"}\n{"type": "clik"}\nclik("a")';
    const findings = diagnoseSolution('/t/a.actions', text, { dialect: 'mixed' }, schema);
    expect(findings.map(({ code, range }) => [code, range.start.line])).toEqual([
      ['invalid-action', 3],
      ['unknown-action', 4],
      ['unknown-action', 5],
    ]);
  });
});
