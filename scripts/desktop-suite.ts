import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runTests } from '@vscode/test-electron';
import { add, type Count, NOTHING } from './count.ts';
import { buildHostSuites, HOST_SUITES, prepareHostWorkspace, readHostResults } from './host-suite.ts';
import { cacheFolder, root } from './places.ts';
import { TEST_SETTINGS } from './test-settings.ts';

/** Runs the suites of test/host in a desktop VS Code, which it downloads. */
export async function runDesktopSuites(say: (text: string) => void): Promise<Count> {
  await buildHostSuites();
  let count = NOTHING;
  for (const suite of HOST_SUITES) {
    const workspace = await prepareHostWorkspace(suite);
    const profile = join(workspace.folder, '..', 'vscode');
    await mkdir(join(profile, 'User'), { recursive: true });
    await writeFile(join(profile, 'User', 'settings.json'), JSON.stringify(TEST_SETTINGS));
    try {
      await runTests({
        cachePath: cacheFolder,
        extensionDevelopmentPath: root,
        extensionTestsPath: workspace.entry,
        extensionTestsEnv: workspace.env,
        launchArgs: [
          workspace.folder,
          `--user-data-dir=${profile}`,
          '--disable-extensions',
          ...(suite === 'trusted' ? ['--disable-workspace-trust'] : []),
          ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
        ],
      });
    } catch {
      // VS Code exits with an error if a test fails; the results name the test.
    }
    count = add(count, await readHostResults(workspace, say));
    await workspace.dispose();
  }
  return count;
}
