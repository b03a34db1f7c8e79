import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { COLOR, COMMAND, CONTEXT, OFFERED_RUNS, RUN_PANEL, SCHEME, VIEW } from '../../../src/editor/names.ts';

const entry = z.object({ command: z.string(), when: z.string().optional() });
const menuEntry = z.union([
  entry.extend({ group: z.string().optional() }),
  z.object({ submenu: z.string(), when: z.string().optional(), group: z.string().optional() }),
]);
const manifest = z
  .object({
    activationEvents: z.array(z.string()),
    contributes: z.object({
      commands: z.array(z.object({ command: z.string(), title: z.string(), enablement: z.string().optional() })),
      views: z.record(z.string(), z.array(z.object({ id: z.string() }))),
      colors: z.array(
        z.object({
          id: z.string(),
          defaults: z.object({
            dark: z.string(),
            light: z.string(),
            highContrast: z.string(),
            highContrastLight: z.string(),
          }),
        }),
      ),
      submenus: z.array(z.object({ id: z.string() })),
      menus: z.record(z.string(), z.array(menuEntry)),
      keybindings: z.array(entry),
      viewsWelcome: z.array(z.object({ contents: z.string() })),
      mcpServerDefinitionProviders: z.array(z.object({ id: z.string() })),
      walkthroughs: z.array(
        z.object({
          steps: z.array(
            z.object({
              description: z.string(),
              media: z.object({ svg: z.string().optional(), markdown: z.string().optional() }),
              completionEvents: z.array(z.string()).min(1),
            }),
          ),
        }),
      ),
      configuration: z.object({ properties: z.record(z.string(), z.object({ markdownDescription: z.string() })) }),
    }),
  })
  .parse(JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')));
const texts = z
  .record(z.string(), z.string())
  .parse(JSON.parse(readFileSync(new URL('../../../package.nls.json', import.meta.url), 'utf8')));
const { contributes } = manifest;
/** Paths of the manifest whose values VS Code shows; models read the inputs of tools. Name and description stay in it, because npm shows them too. */
const SHOWN_TO_PEOPLE =
  /^\/(contributes|capabilities)\/(?!languageModelTools\/\*\/inputSchema\/).*\/(title|shortTitle|category|contents|description|markdownDescription|enumItemLabels\/\*|enumDescriptions\/\*|label|altText|displayName|contextualTitle)$|^\/contributes\/views\/.*\/name$/;
const menus = Object.values(contributes.menus).flat();
const clauses = [
  ...menus.map(({ when }) => when),
  ...contributes.keybindings.map(({ when }) => when),
  ...contributes.commands.map(({ enablement }) => enablement),
].filter((clause) => clause !== undefined);

/** Evaluates a `when` clause of the Tasks view for a single selected node. */
function holds(when: string, viewItem: string): boolean {
  return when.split(' && ').every((term) => {
    const negated = term.startsWith('!');
    const pattern = /viewItem =~ \/(.+?)\//.exec(term)?.[1];
    const value =
      pattern !== undefined
        ? new RegExp(pattern).test(viewItem)
        : term.includes('view == ')
          ? term.endsWith('taskwright.tasks')
          : term.includes('listMultiSelection') && false;
    return value !== negated;
  });
}

describe('what package.json contributes', () => {
  it('is every command that the code registers, and no other', () => {
    expect(contributes.commands.map(({ command }) => command).sort()).toEqual(Object.values(COMMAND).sort());
  });

  it('has menus and keys for commands that exist', () => {
    const known = new Set<string>(Object.values(COMMAND));
    const used = [...menus, ...contributes.keybindings].flatMap((one) => ('command' in one ? [one.command] : []));
    expect(used.filter((command) => !known.has(command))).toEqual([]);
  });

  it.each(['task idle readable', 'task running readable', 'task idle broken'])(
    'has at most nine entries in the menu of a %s, those that run it first',
    (viewItem) => {
      const shown = (contributes.menus['view/item/context'] ?? [])
        .filter(({ group = '' }) => !group.startsWith('inline'))
        .filter(({ when = '' }) => holds(when, viewItem))
        .sort((a, b) => (a.group ?? '').localeCompare(b.group ?? ''));
      expect(shown.length).toBeLessThanOrEqual(9);
      const first = shown.slice(0, 2).map((one) => ('command' in one ? one.command : one.submenu));
      expect(first).toEqual(
        viewItem.includes('running') ? [COMMAND.stop, 'taskwright.runWith'] : [COMMAND.run, COMMAND.debug],
      );
    },
  );

  it('has a menu for each submenu', () => {
    const opened = new Set(menus.flatMap((one) => ('submenu' in one ? [one.submenu] : [])));
    expect(contributes.submenus.map(({ id }) => id)).toEqual([...opened]);
    expect([...opened].filter((id) => (contributes.menus[id] ?? []).length === 0)).toEqual([]);
  });

  it('has a color for each kind of theme wherever the code uses one', () => {
    expect(contributes.colors.map(({ id }) => id)).toEqual(Object.values(COLOR));
    for (const { defaults } of contributes.colors) {
      expect(Object.values(defaults).filter((value) => !/^#[0-9a-f]{6}([0-9a-f]{2})?$/.test(value))).toEqual([]);
    }
    const folder = new URL('../../../src/editor/', import.meta.url);
    const used = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .flatMap(
        (name) =>
          readFileSync(new URL(name, folder), 'utf8').match(
            /'\w+\.\w*(?:[Ff]oreground|[Bb]ackground|[Bb]order)'|'(?:charts|testing)\.\w+'/g,
          ) ?? [],
      )
      .map((quoted) => quoted.slice(1, -1));
    // VS Code has values for these in all kinds of themes.
    const known = new Set(['testing.iconPassed', 'testing.iconFailed', 'testing.iconErrored', 'testing.iconSkipped']);
    expect(used.filter((id) => !id.startsWith('taskwright.') && !known.has(id))).toEqual([]);
  });

  it('has the MCP servers that the code offers', () => {
    expect(contributes.mcpServerDefinitionProviders.map(({ id }) => id)).toEqual([OFFERED_RUNS]);
  });

  it('has the views that the code fills', () => {
    expect(Object.values(contributes.views).flatMap((views) => views.map(({ id }) => id))).toEqual(Object.values(VIEW));
  });

  it('uses only context keys that the code sets', () => {
    const known = new Set<string>([...Object.values(CONTEXT), ...Object.values(VIEW), RUN_PANEL]);
    const asked = clauses.flatMap((clause) => clause.match(/taskwright\.[A-Za-z]+/g) ?? []);
    expect(asked.filter((key) => !known.has(key))).toEqual([]);
  });

  it('leads its words and its first steps to commands and pictures that exist', () => {
    const steps = contributes.walkthroughs.flatMap(({ steps: of }) => of);
    const words = [
      ...contributes.viewsWelcome.map(({ contents }) => contents),
      ...steps.map((step) => step.description),
    ].map((text) => texts[text.slice(1, -1)] ?? '');
    const named = words.flatMap((text) => text.match(/(?<=command:)taskwright\.[A-Za-z.]+/g) ?? []);
    const awaited = steps.flatMap(({ completionEvents }) =>
      completionEvents.flatMap((event) => event.match(/(?<=^onCommand:)taskwright.*/) ?? []),
    );
    const known = new Set<string>([...Object.values(COMMAND), ...Object.values(VIEW).map((view) => `${view}.focus`)]);
    expect([...named, ...awaited].filter((command) => !known.has(command))).toEqual([]);
    const media = steps.map(({ media: { svg, markdown } }) => svg ?? markdown ?? '');
    expect(media.filter((path) => !existsSync(new URL(`../../../${path}`, import.meta.url)))).toEqual([]);
  });

  it('takes every text from package.nls.json, which contains no other', () => {
    const referenced = new Set<string>();
    const literal: string[] = [];
    const visit = (value: unknown, path: string): void => {
      if (typeof value === 'string') {
        const key = /^%(.+)%$/.exec(value)?.[1];
        if (key !== undefined) referenced.add(key);
        else if (SHOWN_TO_PEOPLE.test(path)) literal.push(`${path}: ${value}`);
      } else if (typeof value === 'object' && value !== null) {
        for (const [key, inner] of Object.entries(value)) visit(inner, `${path}/${Number(key) >= 0 ? '*' : key}`);
      }
    };
    visit(JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')), '');
    expect(literal).toEqual([]);
    expect([...referenced].sort()).toEqual(Object.keys(texts).sort());
  });

  it('activates the extension for task files and for its panel, not at every start', () => {
    expect(manifest.activationEvents).not.toContain('*');
    expect(manifest.activationEvents).not.toContain('onStartupFinished');
    expect(manifest.activationEvents).toContain(`onWebviewPanel:${RUN_PANEL}`);
  });

  it('activates the extension for each of its documents that VS Code restores', () => {
    const events = manifest.activationEvents.filter((event) => event.startsWith('onFileSystem:'));
    expect(events).toEqual(Object.values(SCHEME).map((scheme) => `onFileSystem:${scheme}`));
  });
});
