import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { live, serve, shareEnvironments, showing } from './stage.ts';

shareEnvironments();

/** The permissions in the table of the documentation, by their names in the browser. */
function documentedPermissions(): Record<string, string> {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/browser.md'), 'utf8');
  const rows = page.matchAll(/^\| (`[a-z`, -]+) \| (granted|denied)[^|]* \|$/gm);
  return Object.fromEntries(
    [...rows].flatMap(([, names = '', state = '']) =>
      [...names.matchAll(/`([a-z-]+)`/g)].map(([, name = '']) => [name, state] as const),
    ),
  );
}

/** The states that the open page sees; permissions that the browser does not know are left out. */
function statesOf(names: readonly string[]): Promise<Record<string, string>> {
  return live.functionContext().page?.evaluate(async (all) => {
    const states: Record<string, string> = {};
    for (const name of all) {
      try {
        states[name] = (await navigator.permissions.query({ name: name as PermissionName })).state;
      } catch {
        // Not a permission of this browser.
      }
    }
    return states;
  }, names) as Promise<Record<string, string>>;
}

it('each permission of a task page and of a site is granted or denied as documented, and nobody is asked', async () => {
  const documented = documentedPermissions();
  expect(Object.keys(documented).length).toBeGreaterThan(20);
  const site = await serve({ '/': { body: '<p>A site</p>' } });
  try {
    await showing(live, '<p>x</p>');
    const own = await statesOf(Object.keys(documented));
    expect(Object.keys(own).length).toBeGreaterThan(20);
    expect(own).toEqual(Object.fromEntries(Object.keys(own).map((name) => [name, documented[name]])));
    expect((await live.step([`goto('${site.url}')`])).error).toBeNull();
    const network = ['local-network-access', 'local-network', 'loopback-network'].filter((name) => name in own);
    expect(network).not.toEqual([]);
    expect(await statesOf(Object.keys(documented))).toEqual({
      ...own,
      ...Object.fromEntries(network.map((name) => [name, 'denied'])),
    });
  } finally {
    await site.close();
  }
});

it('a copy button works, and what asks a person is denied at once', async () => {
  const copy = `navigator.clipboard.writeText('copied').then(() => 'ok', (error) => error.name)`;
  const locate = `new Promise((resolve) => navigator.geolocation.getCurrentPosition(() => resolve('ok'), ({ code }) => resolve(code)))`;
  await showing(
    live,
    `<button onclick="Promise.all([${copy}, ${locate}, Notification.requestPermission()]).then((all) => { document.title = all.join(); })">x</button>`,
  );
  expect((await live.step(["click('button')"])).info.title).toBe('ok,1,denied');
});
