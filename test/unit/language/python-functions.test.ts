import { beforeAll, describe, expect, it } from 'vitest';
import { Lines } from '../../../src/base/lines.ts';
import { addSignatures, readSignatures, type UserSignature } from '../../../src/functions/user/names.ts';
import { diagnose } from '../../../src/language/findings/diagnose.ts';
import { targetAt } from '../../../src/language/navigation/definition.ts';
import { hover } from '../../../src/language/typing/hover.ts';
import { signatureHelp } from '../../../src/language/typing/signature-help.ts';
import { readTasks } from '../../../src/tasks/read.ts';
import { atMark } from '../tasks/cursor.ts';
import { accept, listCompletions } from './typing.ts';

const FILE = '/tasks/shop.functions.py';
const SOURCE = `
def cart_total(state, total: float, currency: Literal["EUR", "USD"] = "EUR", *items: str) -> bool:
    """1 when the cart's total is the expected one."""
def fill(page, items: list[str], fast: bool) -> None: ...
@retried
def loose(a): ...
`;

const own = new Map<string, UserSignature>();
beforeAll(async () => addSignatures(own, await readSignatures(SOURCE, FILE)));

function findings(calls: object, functions: ReadonlyMap<string, UserSignature> = own): string[] {
  const text = JSON.stringify({ id: 'buy', prompt: 'Buy.', gym: 'hud-browser', ...calls });
  return diagnose(readTasks('/tasks/a.task.json', text), functions)
    .filter(({ severity }) => severity === 'error')
    .map(({ code, message }) => `${code}: ${message}`);
}

function at(markedText: string) {
  const { text, offset } = atMark(markedText);
  return { file: readTasks('/tasks/a.task.json', text), position: new Lines(text).position(offset) };
}

describe('functions in Python beside the tasks', () => {
  it.each([[['cart_total', 12.5]], [['cart_total', 12, 'USD', 'mug', 'cup']], [['loose', 1, 2, 3]]])(
    '%j is accepted',
    (evaluate) => {
      expect(findings({ evaluate })).toEqual([]);
    },
  );

  it.each([
    [['cart_total'], /^missing-argument: cart_total\(total, currency\?.*“total” is missing/],
    [['cart_total', 'x'], /^invalid-argument: .*“total” expects a number, found "x"/],
    [['cart_total', 1, 'EURO'], /^invalid-argument: .*“currency” .*found "EURO".*EUR/],
    [['cart_total', 1, 'EUR', 'mug', 2], /^invalid-argument: .*expects a string, found 2/],
    [['fill', [], true], /^wrong-phase: “fill” is a function for "setup"/],
    [['cart_totl', 1], /^unknown-function: Unknown function “cart_totl”. Did you mean “cart_total”/],
  ])('%j is an error', (evaluate, words) => {
    const [found] = findings({ evaluate });
    expect(found).toMatch(words);
  });

  it('the arguments of setup functions are checked, too', () => {
    expect(findings({ setup: ['fill', ['a', 1], 'yes'], evaluate: ['cart_total', 1] })[0]).toMatch(
      /“items” \(1\) expects a string/,
    );
  });

  it('a name that two files define is not a function', async () => {
    const both = new Map<string, UserSignature>();
    addSignatures(both, await readSignatures('export function cart_total(c) {}', '/tasks/a.functions.ts'));
    addSignatures(both, await readSignatures(SOURCE, FILE));
    expect(findings({ evaluate: ['cart_total', 1] }, both)).toEqual([
      'unknown-function: “cart_total” is exported by a.functions.ts and shop.functions.py. Rename one of them',
    ]);
  });

  it('have hover and signature help at their calls', () => {
    const { file, position } = at('{"evaluate": ["cart_|total", 12]}');
    expect(hover(file, position, own)?.text).toMatch(
      /```python\ncart_total\(total: float, currency\?: Literal\["EUR", "USD"\], \.\.\.items\?: str\)\n```\n\n1 when the cart.*shop\.functions\.py/s,
    );
    expect(targetAt(file, own, position)).toMatchObject({
      kind: 'user',
      signature: { file: FILE, range: { start: { line: 1, character: 4 } } },
    });
    const help = at('{"evaluate": ["cart_total", 12, "|"]}');
    expect(signatureHelp(help.file, help.position, own)).toMatchObject({
      active: 1,
      parameters: ['total: float', 'currency?: Literal["EUR", "USD"]', '...items?: str'],
    });
  });

  it('are offered with their arguments', async () => {
    const marked = '{"gym": "hud-browser", "setup": ["|"]}';
    const found = await listCompletions('/tasks/a.task.json', marked, { own });
    expect(found.find(({ label }) => label === 'fill')).toMatchObject({
      signature: '(items, fast)',
      detail: 'shop.functions.py',
    });
    expect(await accept('/tasks/a.task.json', marked, 'fill', { own })).toBe(
      '{"gym": "hud-browser", "setup": ["fill", [$1], true]}',
    );
  });
});
