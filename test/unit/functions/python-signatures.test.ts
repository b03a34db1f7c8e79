import { describe, expect, it } from 'vitest';
import { readSignatures } from '../../../src/functions/user/names.ts';
import { hintSchema } from '../../../src/functions/user/python/hints.ts';
import { userFunctionDoc, userSignatureText } from '../../../src/language/typing/docs.ts';

const of = (text: string) => readSignatures(text, '/tasks/shop.functions.py');
const signatures = async (text: string) => (await of(text)).map(userSignatureText);

describe('signatures of Python functions, read without running them', () => {
  it.each([
    ['hints and defaults', 'def f(total: float, currency: str = "EUR"): ...', 'f(total: float, currency?: str)'],
    ['no parameters', 'def f(): return 1', 'f()'],
    ['no hints', 'def f(a, b=1):\n    return 1', 'f(a, b?)'],
    ['`state` and `page` at any position', 'def f(state, a: int, page=None): ...', 'f(a: int)'],
    ['an asynchronous function', 'async def f(page, a: int) -> bool: ...', 'f(a: int)'],
    [
      'hints with brackets in them',
      'def f(a: dict[str, list[int]], b: Literal["x", "y"] = "x") -> dict[str, float]: ...',
      'f(a: dict[str, list[int]], b?: Literal["x", "y"])',
    ],
    ['any number of arguments', 'def f(first: str, *items: int): ...', 'f(first: str, ...items?: int)'],
    ['optional keyword-only parameters', 'def f(a, *, b=1, **more): ...', 'f(a)'],
    ['`state` behind the star', 'def f(a, /, *, state): ...', 'f(a)'],
    ['type parameters', 'def f[T](a: T) -> T: ...', 'f(a: T)'],
    [
      'several lines',
      'def f(\n    a: int,  # how many\n    b: str = (\n        "x"\n    ),\n) -> None:\n    pass',
      'f(a: int, b?: str)',
    ],
    ['the last of two definitions with the same name', 'def f(a): ...\ndef f(b): ...', 'f(b)'],
    ['a missing bracket above', 'x = (1\ndef f(a: int): ...', 'f(a: int)'],
  ])('%s', async (_, text, seen) => {
    expect((await signatures(text)).join(' ')).toBe(seen);
  });

  it.each([
    ['a decorator', '@cached\ndef f(a): ...'],
    ['a decorator on several lines', '@cached(\n  1\n)\nasync def f(a): ...'],
    ['a required keyword-only parameter', 'def f(a, *, b): ...'],
    ['incomplete text', 'def f(a'],
  ])('%s: unknown parameters', async (_, text) => {
    expect(await signatures(text)).toEqual(['f(…)']);
  });

  it('excludes methods, inner and private functions, and imported names', async () => {
    const text =
      'from a import b\ndef _f(): ...\nclass C:\n    def m(self): ...\nif x:\n    def g(): ...\nh = lambda: 1\n"""\ndef i(): ...\n"""\n';
    expect(await signatures(text)).toEqual([]);
  });

  it('applies a decorator to the next definition only', async () => {
    expect(await signatures('@d\nclass C: ...\ndef f(a): ...\n@d\ndef g(a): ...\ndef h(a): ...')).toEqual([
      'f(a)',
      'g(…)',
      'h(a)',
    ]);
  });

  it('reads the range of the name, the docstring, and the phase of a function that returns None', async () => {
    const [one] = await of(
      'import os\nasync def f(a: int) -> None:\n    """Counts items.\n\n    All of\n      them.\n    """\n',
    );
    expect(one).toMatchObject({
      name: 'f',
      range: { start: { line: 1, character: 10 }, end: { line: 1, character: 11 } },
      doc: 'Counts items.\n\nAll of\n  them.',
      phase: 'setup',
    });
    expect(one && userFunctionDoc(one)).toContain('```python\nf(a: int)\n```');
  });

  it.each([
    ['int', { type: 'integer' }],
    ['typing.Optional[float]', { anyOf: [{ type: 'number' }, { type: 'null' }] }],
    ['str|None', { anyOf: [{ type: 'string' }, { type: 'null' }] }],
    ['Union[str, List[bool]]', { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'boolean' } }] }],
    ['dict[str, int]', { type: 'object', additionalProperties: { type: 'integer' } }],
    ['Literal["a", 2, -1.5, True, None]', { enum: ['a', 2, -1.5, true, null] }],
    ['"list[int]"', { type: 'array', items: { type: 'integer' } }],
    ['list', { type: 'array' }],
    ['Decimal', {}],
    ['int | Decimal', {}],
    ['tuple[int, ...]', {}],
    ['Callable[[int], str]', {}],
    ['Literal[Color.RED]', {}],
    ['Literal["say \\"hi\\"", 1e3]', { enum: ['say "hi"', 1000] }],
    ['Literal["\\x4"]', {}],
    ['Literal[[1]]', {}],
    ['list[int', {}],
    ['list[str, ]', { type: 'array', items: { type: 'string' } }],
    ['int]', {}],
    ['', {}],
  ])('the hint %s', (hint, schema) => {
    expect(hintSchema(hint)).toEqual(schema);
  });

  it('accepts null for a parameter with the default None', async () => {
    expect((await of('def f(a: int, b: str = None, *more: bool): ...'))[0]?.schema).toEqual({
      type: 'array',
      prefixItems: [{ type: 'integer' }, { anyOf: [{ type: 'string' }, { type: 'null' }] }],
      minItems: 1,
      items: { type: 'boolean' },
    });
  });
});
