import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../scripts/places.ts';

it('each entry of the lock file has an integrity hash, and none names where it was fetched from', async () => {
  const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<
      Record<string, { readonly integrity?: string; readonly link?: true; readonly resolved?: string }>
    >;
  };
  // The project itself and what it links to are folders of the repository.
  const fetched = Object.entries(packages).filter(
    ([path, { link }]) => path.includes('node_modules/') && link !== true,
  );
  expect(fetched.length).toBeGreaterThan(100);
  expect(
    fetched.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? '')).map(([path]) => path),
  ).toEqual([]);
  expect(fetched.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([]);
});
