import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { diagnose } from '../../../src/language/findings/diagnose.ts';
import { prepareToRead, readTasks } from '../../../src/tasks/read.ts';

const folder = new URL('../../../snippets/', import.meta.url);
const contributed = z
  .object({ contributes: z.object({ snippets: z.array(z.object({ language: z.string(), path: z.string() })) }) })
  .parse(JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))).contributes.snippets;
const snippets = z.record(
  z.string(),
  z.object({ prefix: z.string(), description: z.string(), include: z.array(z.string()), body: z.array(z.string()) }),
);

/** The text that a snippet leaves where nobody writes over its suggestions. */
function expanded(body: readonly string[]): string {
  return body
    .join('\n')
    .replace(/\$\{\d+:([^}]*)\}/g, '$1')
    .replaceAll('$0', '')
    .replaceAll('\t', '    ');
}

/** A file in which a person would use it. */
const FILES: Readonly<Record<string, (text: string) => readonly [path: string, text: string]>> = {
  json: (text) => ['/a.tasks.json', `[\n${text}\n]`],
  jsonl: (text) => ['/a.tasks.jsonl', text],
  yaml: (text) => ['/a.tasks.yaml', text],
  python: (text) => [
    '/a.py',
    text.startsWith('from ') ? text : `from hud.task import Task\n\ntasks = [\n${text.replace(/^/gm, '    ')},\n]\n`,
  ],
};

describe('a snippet', async () => {
  await prepareToRead('/a.py');
  const cases = Object.keys(FILES).flatMap((language) => {
    const read = snippets.parse(JSON.parse(readFileSync(new URL(`${language}.json`, folder), 'utf8')));
    return Object.entries(read).map(([name, snippet]) => [language, name, snippet] as const);
  });

  it.each(cases)('in %s, “%s”, is one task with nothing to complain about', (language, _name, { body }) => {
    const [path, text] = FILES[language]?.(expanded(body)) ?? ['', ''];
    const file = readTasks(path, text);
    expect(file.rows.map(({ id }) => id)).toEqual(['my-task']);
    expect(diagnose(file, new Map())).toEqual([]);
  });

  it('stands in a file that package.json contributes for its language', () => {
    expect(contributed.map(({ language, path }) => [language, path]).sort()).toEqual(
      readdirSync(folder)
        .sort()
        .map((name) => [name.replace('.json', ''), `./snippets/${name}`]),
    );
  });

  it('is the same in every language', () => {
    const prefixes = (language: string): string[] =>
      cases
        .filter(([of]) => of === language)
        .map(([, , { prefix }]) => prefix)
        .filter((prefix) => prefix !== 'taskset');
    for (const language of Object.keys(FILES))
      expect(prefixes(language)).toEqual(['task-page', 'task-site', 'task-qa']);
  });
});
