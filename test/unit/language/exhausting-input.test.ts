import { beforeAll, describe, it } from 'vitest';
import { prepareToRead } from '../../../src/tasks/read.ts';
import { caseCount } from '../../sample.ts';
import { endure, FILES } from './endure.ts';

describe('input that is made to exhaust a reader is read in reasonable time', { timeout: 240_000 }, () => {
  beforeAll(() => prepareToRead('/a_tasks.py'));

  const laughs = (separator: string) =>
    Array.from(
      { length: 30 },
      (_, at) =>
        `a${at}: &a${at} [${Array.from({ length: 9 }, () => (at === 0 ? 'x' : `*a${at - 1}`)).join(separator)}]`,
    ).join('\n');
  /** Deep enough to overflow the stack of a reader that recurses. */
  const deep = caseCount(5_000, 10_000);
  const many = caseCount(2_000, 10_000);
  const veryMany = 100 * deep;
  const texts: readonly (readonly [string, string])[] = [
    ['lists in lists', '['.repeat(deep)],
    ['lists in lists, closed', `${'['.repeat(deep)}${']'.repeat(deep)}`],
    ['objects in objects', '{"a":'.repeat(deep)],
    ['objects in objects, closed', `${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}`],
    ['a task with lists in lists', `[{"prompt":"p","x":${'['.repeat(deep)}${']'.repeat(deep)}}]`],
    ['dashes', '- '.repeat(deep)],
    ['mappings in mappings', Array.from({ length: 500 }, (_, at) => `${' '.repeat(at)}a:`).join('\n')],
    ['questions', '? '.repeat(deep)],
    ['laughs', laughs(', ')],
    [
      'laughs in tasks',
      Array.from(
        { length: caseCount(25, 50) },
        (_, at) => `- {${`p${at}: &p${at} [${'x, '.repeat(90)}], q: [${`*p${at}, `.repeat(300)}]`}}`,
      ).join('\n'),
    ],
    [
      'merges of merges',
      `x0: &x0 {a: 1}\n${Array.from({ length: 60 }, (_, at) => `x${at + 1}: &x${at + 1}\n  <<: [*x${at}, *x${at}]\n  k${at}: 1`).join('\n')}\nprompt: p`,
    ],
    ['quotes', '"'.repeat(many)],
    ['an open text over many lines', `- "${'x\n'.repeat(many)}`],
    ['a long number', `[{"prompt":"p","x":${'9'.repeat(many)}}]`],
    ['a long word', 'x'.repeat(veryMany)],
    ['a long line of words', 'a: b, '.repeat(many)],
    ['spaces', ' '.repeat(veryMany)],
    ['line ends', '\r\n'.repeat(100_000)],
    ['backslashes', `"${'\\'.repeat(many)}`],
    ['colons', ':'.repeat(many)],
    ['commas', `[${','.repeat(many)}]`],
    ['braces that close nothing', '}]'.repeat(many)],
    ['comments', '/*'.repeat(many)],
    ['comment lines', '# x\n'.repeat(many)],
    ['anchors', '&a '.repeat(many)],
    ['tags', '!'.repeat(many)],
    ['the same key', `{${'"a":1,'.repeat(many)}"prompt":"p"}`],
    ['tasks that do not end', '[{"prompt":"p",\n'.repeat(2000)],
    ['calls in calls', `from hud import Task\nTask(${'Task('.repeat(2000)}`],
    ['brackets in Python', `from hud import Task\nx = ${'['.repeat(deep)}`],
    [
      'many tasks of Python in one line',
      `from hud import Task\ntasks = [${'Task(prompt="p", gym="qa"), '.repeat(caseCount(500, 2000))}]`,
    ],
    ['calls in Python that do not end', `from hud import Task\n${'a = Task(\n'.repeat(deep)}`],
    ['functions in Python that do not end', `from hud import Task\n${'def f('.repeat(deep)}`],
    ['spaces that JSON has not', '[{"prompt": "p", \u00a0 "setup": [\u2028 \f \v \uFEFF],\u00a0}\u3000]'],
    ['minus signs in Python', `from hud import Task\nt = Task(max_steps=${'-'.repeat(deep)}1)`],
    [
      'names that stand for names',
      `from hud import Task\n${Array.from({ length: deep }, (_, at) => `x${at} = x${at + 1}`).join('\n')}\nt = Task(prompt=x0)`,
    ],
    [
      'names that stand for ever more',
      `from hud import Task\nx0 = ["a"]\n${Array.from({ length: 40 }, (_, at) => `x${at + 1} = [x${at}, x${at}]`).join('\n')}\nt = Task(prompt="p", metadata={"a": x40})`,
    ],
    [
      'texts that stand for ever more',
      `from hud import Task\nx0 = "a"\n${Array.from({ length: 60 }, (_, at) => `x${at + 1} = f"{x${at}}{x${at}}"`).join('\n')}\nt = Task(prompt=x60)`,
    ],
    ['texts beside each other', `from hud import Task\nt = Task(prompt=${'"a" '.repeat(many)})`],
  ];
  const cases = texts.flatMap(([what, text]) => Object.keys(FILES).map((name) => [name, what, text] as const));

  it.each(cases)('%s: %s', (name, _, text) => {
    endure(name, text, 0.6);
  });
});
