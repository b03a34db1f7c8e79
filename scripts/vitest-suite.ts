import { spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Count } from './count.ts';
import { outFolder, root } from './places.ts';

interface VitestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    readonly status: string;
    readonly assertionResults: readonly { status: string }[];
  }[];
}

/** Runs one vitest project, its output streamed, and counts its tests. */
export async function runVitest(project: string, filters: readonly string[]): Promise<Count> {
  const report = join(outFolder, 'tests', `${project}.json`);
  await rm(report, { force: true });
  const program = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const args = [program, 'run', '--project', project, '--reporter=default', '--reporter=json'];
  const code = await new Promise<number>((resolve, reject) => {
    const child = spawn(process.execPath, [...args, `--outputFile.json=${report}`, ...filters], {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    child.on('error', reject);
    child.on('close', (status) => resolve(status ?? 1));
  });
  const counted = await readReport(report);
  // A crash, or an error outside any test: never less than one failure.
  return code !== 0 && counted.failed === 0 ? { ...counted, failed: 1 } : counted;
}

async function readReport(path: string): Promise<Count> {
  try {
    const report = JSON.parse(await readFile(path, 'utf8')) as VitestReport;
    // A file that cannot even be loaded has no tests to count.
    const unloaded = report.testResults.filter(
      ({ status, assertionResults }) =>
        status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
    );
    return { passed: report.numPassedTests, failed: report.numFailedTests + unloaded.length };
  } catch {
    return { passed: 0, failed: 0 };
  }
}
