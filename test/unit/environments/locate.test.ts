import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { locateBrowser } from '../../../src/environments/browser/launch/locate.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'browsers-'));
  onTestFinished(() => rm(root, { recursive: true }));
});

/** A program that says which version it is. */
async function install(path: string, version = 'Browser 1.2.3.4'): Promise<string> {
  const program = join(root, path);
  await mkdir(dirname(program), { recursive: true });
  await writeFile(program, `#!/bin/sh\necho '${version}'\n`);
  await chmod(program, 0o755);
  return program;
}

const locate = (env: NodeJS.ProcessEnv = {}, platform: NodeJS.Platform = 'linux') =>
  locateBrowser({ root, env: { HOME: join(root, 'home'), ...env }, platform });

describe('on Linux', () => {
  test('the browser that was chosen wins over all others', async () => {
    await install('opt/google/chrome/chrome');
    const program = await install('mine/chromium', 'Chromium 156.0.8078.79 built on Debian');

    expect(await locate({ TASKWRIGHT_BROWSER: program })).toEqual({
      found: { path: program, name: 'Chromium', version: '156.0.8078.79' },
    });
  });

  test('a missing selected browser is reported, and no other is used', async () => {
    await install('opt/google/chrome/chrome');

    expect(await locate({ TASKWRIGHT_BROWSER: '/no/such/chrome' })).toEqual({
      tried: [expect.stringContaining('/no/such/chrome')],
    });
  });

  test('a product that is not accepted is passed over', async () => {
    await install('usr/bin/chromium-headless-shell');
    const other = await install('usr/bin/chromium');
    const accepts = (name: string): boolean => name !== 'Chromium headless shell';

    expect(await locateBrowser({ root, env: {}, platform: 'linux', accepts })).toMatchObject({
      found: { path: other },
    });
  });

  test('a file that cannot be run is no browser', async () => {
    await chmod(await install('opt/google/chrome/chrome'), 0o644);

    expect(await locate()).toHaveProperty('tried');
  });

  test('the quick headless shell is taken before Chrome, Edge and Chromium, and these before a download', async () => {
    const inOrder = [
      await install('usr/bin/chromium-headless-shell'),
      await install('opt/google/chrome/chrome'),
      await install('opt/microsoft/msedge/msedge'),
      await install('usr/bin/chromium'),
      await install(
        'home/.cache/ms-playwright/chromium_headless_shell-1200/chrome-headless-shell-linux64/chrome-headless-shell',
      ),
      await install('home/.cache/ms-playwright/chromium-1200/chrome-linux64/chrome'),
      await install('home/.cache/ms-playwright/chromium-999/chrome-linux64/chrome'),
    ];
    for (const path of inOrder) {
      expect(await locate()).toMatchObject({ found: { path } });
      await rm(path);
    }
    expect(await locate()).toHaveProperty('tried');
  });

  test('a browser on the PATH is found', async () => {
    const path = await install('somewhere/google-chrome');

    expect(await locate({ PATH: `relative:${join(root, 'somewhere')}` })).toMatchObject({
      found: { path, name: 'Google Chrome' },
    });
  });

  test('downloads are searched in the configured folder', async () => {
    const path = await install('downloads/chromium-1200/chrome-linux/chrome');

    expect(await locate({ PLAYWRIGHT_BROWSERS_PATH: join(root, 'downloads') })).toMatchObject({ found: { path } });
  });

  test('if there is none, all searched places are reported', async () => {
    const answer = await locate();

    expect('tried' in answer && answer.tried.join('\n')).toMatch(
      /TASKWRIGHT_BROWSER[\s\S]*headless-shell[\s\S]*google\/chrome[\s\S]*google-chrome on the PATH[\s\S]*msedge[\s\S]*bin\/chromium[\s\S]*ms-playwright/,
    );
  });

  test('the version is determined only on request', async () => {
    await install('opt/google/chrome/chrome');

    expect(await locateBrowser({ root, env: { HOME: root }, platform: 'linux', version: false })).toMatchObject({
      found: { version: null },
    });
  });
});

test('On macOS the version of an application is read from its bundle, without starting it', async () => {
  const path = await install('Applications/Google Chrome.app/Contents/MacOS/Google Chrome', 'not asked');
  await writeFile(
    join(dirname(path), '..', 'Info.plist'),
    '<key>CFBundleShortVersionString</key>\n<string>156.0.1.2</string>',
  );

  expect(await locate({}, 'darwin')).toEqual({ found: { path, name: 'Google Chrome', version: '156.0.1.2' } });
});
