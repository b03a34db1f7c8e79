import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { environmentKind, KINDS, kindNamed, typeInfo } from '../../../src/environments/kinds.ts';
import { builtins } from '../../../src/functions/catalogue.ts';

const folder = join(import.meta.dirname, '..', '..', '..', 'src', 'environments');

describe('a kind of environment', () => {
  it.each(KINDS)('$name is described and made in the folder of its name', async ({ name }) => {
    expect(await readdir(join(folder, name))).toEqual(expect.arrayContaining(['kind.ts', 'environment.ts']));
    expect(kindNamed(name)?.name).toBe(name);
  });

  it.each(KINDS)('$name documents each of its types, which are no other kind’s', ({ name, types }) => {
    for (const type of Object.keys(types)) {
      expect(typeInfo(type)?.doc).not.toBe('');
      expect(environmentKind({ type })).toMatchObject({ kind: { name } });
    }
  });

  it.each(KINDS)('$name suggests calls that it can carry out', ({ suggestedCalls, provides }) => {
    for (const call of suggestedCalls) {
      const declaration = builtins.find(({ name }) => name === call.function);
      expect(declaration?.phase).toBe('evaluate');
      for (const need of declaration?.needs ?? []) expect(provides).toContain(need);
    }
  });

  it('is described without loading what runs it', async () => {
    const reached = await reachedFrom(join(folder, 'kinds.ts'));
    expect([...reached.packages].sort()).toEqual(['@vscode/l10n', 'node:fs', 'node:path']);
    expect([...reached.files].filter((file) => /\/(?:create|environment)\.ts$/.test(file))).toEqual([]);
  });
});

/** What a module imports at run time, directly or by way of other modules. */
async function reachedFrom(entry: string): Promise<{ files: Set<string>; packages: Set<string> }> {
  const files = new Set<string>();
  const packages = new Set<string>();
  const visit = async (file: string): Promise<void> => {
    if (files.has(file)) return;
    files.add(file);
    const text = await readFile(file, 'utf8');
    for (const [, clause = '', specifier = ''] of text.matchAll(/^(?:import|export) ([^;]*?)from '([^']+)';/gms)) {
      const values = clause
        .replace(/^type .*/s, '')
        .replaceAll(/\btype \w+,?/g, '')
        .replaceAll(/[{}\s]/g, '');
      if (values === '') continue;
      if (specifier.startsWith('.')) await visit(resolve(dirname(file), specifier));
      else packages.add(specifier);
    }
  };
  await visit(entry);
  return { files, packages };
}
