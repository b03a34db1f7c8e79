import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Tests of `system` that the suite `browsers` can repeat in another browser: those that act on pages, or start browsers. */
export const BROWSER_TESTS: readonly string[] = ['environments', 'functions', 'server', 'placement'].map(
  (name) => `test/system/${name}/`,
);

/**
 * Test files in those folders that `browsers` leaves out, by the reason why their results do not depend on the browser. A
 * new test file runs in both browsers until it is listed here.
 */
export const BROWSER_INDEPENDENT: Readonly<Record<string, string>> = {
  'test/system/environments/coding.test.ts': 'runs commands in a folder',
  'test/system/environments/coding-start.test.ts': 'prepares a folder',
  'test/system/environments/controller.test.ts': 'runs functions in Python, without a page',
  'test/system/environments/desktop.test.ts': 'acts on an X server',
  'test/system/environments/desktop-keys.test.ts': 'types into an X server',
  'test/system/environments/hud-mcp.test.ts': 'talks to HUD environments, without a page',
  'test/system/environments/hud-recorded.test.ts': 'talks to HUD environments, without a page',
  'test/system/environments/hud-templates.test.ts': 'talks to HUD environments, without a page',
  'test/system/environments/mcp.test.ts': 'talks to MCP servers, without a page',
  'test/system/environments/openenv.test.ts': 'talks to OpenEnv servers, without a page',
  'test/system/environments/openenv-faults.test.ts': 'talks to OpenEnv servers, without a page',
  'test/system/environments/openenv-peers.test.ts': 'runs tasks in OpenEnv servers, without a page',
  'test/system/environments/openenv-refused.test.ts': 'talks to servers that are none of OpenEnv, without a page',
  'test/system/environments/openenv-wire.test.ts': 'talks to recorded OpenEnv servers, without a page',
  'test/system/functions/user.test.ts': 'loads and calls functions, without a page',
  'test/system/functions/types.test.ts': 'checks types in the TypeScript server of an editor',
  'test/system/server/custom.test.ts': 'runs custom environments, without a page',
  'test/system/server/desktop.test.ts': 'acts on an X server',
  'test/system/placement/hud-debugged.test.ts': 'attaches to debugpy in a HUD environment',
  'test/system/placement/hud.test.ts': 'starts HUD environments, without a page',
  'test/system/placement/hud-killed.test.ts': 'ends HUD environments, without a page',
  'test/system/placement/openenv.test.ts': 'starts OpenEnv servers, without a page',
  'test/system/placement/openenv-debugged.test.ts': 'attaches to debugpy in an OpenEnv server',
  'test/system/placement/local.test.ts': 'counts the processes and folders of environment servers',
  'test/system/server/debugged-python.test.ts': 'attaches to debugpy',
  'test/system/server/handed-over.test.ts': 'sends files to an environment server',
  'test/system/server/inspected.test.ts': 'attaches to the inspector of Node.js',
  'test/system/server/isolated-verdicts.test.ts': 'calls functions, without a page',
  'test/system/server/killed.test.ts': 'ends functions, sessions and servers; killed-browser.test.ts ends browsers',
  'test/system/server/python.test.ts': 'runs functions in Python, without a page',
};

/**
 * Test files that `browsers` repeats in every run: how a browser starts and ends, what it records, and pages that do not
 * answer. There its versions differ most.
 */
export const BROWSER_FILES: readonly string[] = [
  'test/system/environments/frozen-browser.test.ts',
  'test/system/environments/permissions.test.ts',
  'test/system/environments/record-page.test.ts',
  'test/system/environments/stuck-page.test.ts',
  'test/system/server/browser.test.ts',
];

/** Single tests that `browsers` repeats in every run, by their file. */
export const BROWSER_CASES: Readonly<Record<string, readonly string[]>> = {
  'test/system/environments/actions.test.ts': [
    'drags elements and along points',
    'uploads a file of the task folder, but no withheld file',
    'waits for the result of a click: the next document and requests of the page',
  ],
  'test/system/environments/pages.test.ts': [
    'is clean: no cookie, storage, tab, or action of the previous task',
    'opens dialogs: they are answered, recorded, and block nothing',
    'logs: console messages, errors, and missing files are recorded once, in their step',
    'crashes: the session ends with page_crashed, and the next task works',
    'follow opened and closed pages, and are selected by index',
    'comes while a page moves, follows the tabs and ends',
    'that goes away ends the session with browser_crashed',
  ],
  'test/system/functions/evaluate.test.ts': ['have a visible text that the pattern is found in'],
};

/** The tracked file with the digest of the sources with which the other browser last passed all tests. */
export const BROWSER_DIGEST = join('test', 'browsers.json');

const SOURCES = ['src/environments/browser', 'src/server'];

/**
 * A digest of what a browser is driven by: our sources and the version of Playwright. If it is not that of
 * `test/browsers.json`, `browsers` repeats all tests but those of `BROWSER_LONG`.
 * @param root the folder of the repository
 */
export function browserDigest(root: string): string {
  const hash = createHash('sha256');
  for (const folder of SOURCES) {
    const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => name.replaceAll('\\', '/'))
      .filter((name) => name.endsWith('.ts') && (folder !== 'src/server' || name.startsWith('browser')));
    for (const name of names.sort()) hash.update(`${folder}/${name}\n`).update(readFileSync(join(root, folder, name)));
  }
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  return hash.update(String(dependencies['playwright-core'])).digest('hex');
}

/**
 * Test files that `browsers` repeats only with `npm run test:long`, by the file that shows in every run whether the other
 * browser opens, acts on, reads, and ends as this one does.
 */
export const BROWSER_LONG: Readonly<Record<string, string>> = {
  'test/system/environments/acted-on.test.ts': 'test/system/environments/record-page.test.ts',
  'test/system/environments/at-once.test.ts': 'test/system/environments/actions.test.ts',
  'test/system/environments/cla-fields.test.ts': 'test/system/environments/actions.test.ts',
  'test/system/environments/click-landing.test.ts': 'test/system/environments/actions.test.ts',
  'test/system/environments/every-action.test.ts': 'test/system/environments/actions.test.ts',
  'test/system/environments/hud-surfaces.test.ts': 'test/system/environments/actions.test.ts',
  'test/system/environments/local-sites.test.ts': 'test/system/environments/pages.test.ts',
  'test/system/environments/miniwob.test.ts': 'test/system/environments/actions.test.ts',
  'test/system/environments/pointed.test.ts': 'test/system/environments/actions.test.ts',
  'test/system/environments/real-pages.test.ts': 'test/system/environments/record-page.test.ts',
  'test/system/environments/read-each.test.ts': 'test/system/functions/evaluate.test.ts',
  'test/system/environments/rebuild-page.test.ts': 'test/system/environments/record-page.test.ts',
  'test/system/functions/page-contains.test.ts': 'test/system/functions/evaluate.test.ts',
  'test/system/functions/read-in-pieces.test.ts': 'test/system/functions/evaluate.test.ts',
  'test/system/functions/selectors.test.ts': 'test/system/functions/evaluate.test.ts',
  'test/system/functions/generated-patterns.test.ts': 'test/system/functions/evaluate.test.ts',
  'test/system/functions/setup.test.ts': 'test/system/environments/actions.test.ts',
  'test/system/functions/user-python.test.ts': 'test/system/functions/evaluate.test.ts',
  'test/system/functions/visible-text.test.ts': 'test/system/functions/evaluate.test.ts',
  'test/system/placement/kubernetes.test.ts': 'test/system/server/browser.test.ts',
  'test/system/placement/tunnel.test.ts': 'test/system/environments/pages.test.ts',
  'test/system/server/page-questions.test.ts': 'test/system/functions/evaluate.test.ts',
  'test/system/server/restored.test.ts': 'test/system/server/browser.test.ts',
  'test/system/server/sessions.test.ts': 'test/system/server/browser.test.ts',
  'test/system/server/stopped-console.test.ts': 'test/system/functions/evaluate.test.ts',
  'test/system/environments/zoomed-frames.test.ts': 'test/system/environments/actions.test.ts',
};
