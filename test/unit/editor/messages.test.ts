import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bundleOf, messagesIn, readMessages } from '../../../scripts/messages.ts';
import { root } from '../../../scripts/places.ts';
import { AGENT_KINDS } from '../../../src/agents/registry.ts';
import { KINDS } from '../../../src/environments/kinds.ts';
import { EXPORTERS } from '../../../src/formats/runs/exporters.ts';
import { IMPORTERS } from '../../../src/formats/runs/importers.ts';
import { TASK_TEMPLATES } from '../../../src/language/actions/new-task.ts';

test('the bundle holds every message of the editor and its webviews, and no other', async () => {
  expect(await readFile(join(root, 'l10n', 'bundle.l10n.json'), 'utf8')).toBe(bundleOf(await readMessages()));
});

test('a message is a literal in any quotes', () => {
  expect(messagesIn(`l10n.t('a “b” {0}', c); l10n.t(\n  "it's", d)`, 'a.ts')).toEqual(['a “b” {0}', "it's"]);
  expect(() => messagesIn('x\nl10n.t(`a ${b}`)', 'a.ts')).toThrow('a.ts:2');
});

test('the texts of agents, formats, templates, and environments that the editor shows can be translated', async () => {
  const shown = [
    ...AGENT_KINDS.flatMap(({ label, description, argument }) => [
      label,
      description,
      ...(argument === null ? [] : [argument.title]),
      ...(argument?.type === 'file' ? Object.keys(argument.filters) : []),
      ...(argument?.type === 'command' ? [argument.prompt] : []),
    ]),
    ...[...EXPORTERS, ...IMPORTERS].map(({ label }) => label),
    ...TASK_TEMPLATES.flatMap(({ label, detail }) => [label, detail]),
    ...KINDS.flatMap(({ templates, view }) => [
      ...templates.flatMap(({ label, doc }) => [label, doc]),
      view.keyboardTarget,
    ]),
  ];
  const messages = new Set(await readMessages());
  expect(shown.filter((text) => !messages.has(text))).toEqual([]);
});

/** Places where VS Code or a page shows a text, with a text that is written there outright. */
const OUTRIGHT =
  /(?:show(?:Information|Warning|Error)Message|setStatusBarMessage)\(\s*['"`](?!\$\{)|\b(?:title|prompt|placeHolder|placeholder|detail|tooltip|openLabel|'aria-label')[:=] ['"`][A-Za-z]/;

test('every shown text can be translated', async () => {
  const found: string[] = [];
  for (const folder of ['src/editor', 'webview']) {
    for (const name of await readdir(join(root, folder), { recursive: true })) {
      // The example is a file that the user edits, and the messages of pages have comments with examples.
      if (!name.endsWith('.ts') || /example\.ts$|messages\.ts$/.test(name)) continue;
      const text = await readFile(join(root, folder, name), 'utf8');
      for (const line of text.split('\n')) if (OUTRIGHT.test(line)) found.push(`${folder}/${name}: ${line.trim()}`);
    }
  }
  expect(found).toEqual([]);
});
