import { spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { type Count, type Failure, failed } from './count.ts';
import { outFolder, root } from './places.ts';

interface VitestReport {
  readonly numPassedTests: number;
  readonly testResults: readonly {
    /** Path of the file. */
    readonly name: string;
    readonly status: string;
    /** Of a file that could not be loaded. */
    readonly message?: string;
    readonly assertionResults: readonly { status: string; fullName: string; failureMessages?: readonly string[] }[];
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
  const counted = await readReport(report, project);
  // A crash, or an error outside any test: never less than one failure.
  const crashed = code !== 0 && counted.failures.length === 0;
  return crashed ? { ...counted, failures: [{ test: project, message: `vitest ended with ${code}` }] } : counted;
}

async function readReport(path: string, project: string): Promise<Count> {
  try {
    const report = JSON.parse(await readFile(path, 'utf8')) as VitestReport;
    const failures = report.testResults.flatMap(({ name, status, message, assertionResults }): Failure[] => {
      const file = relative(root, name);
      const tests = assertionResults.filter((test) => test.status === 'failed');
      // A file that cannot even be loaded has no tests to count.
      if (status === 'failed' && tests.length === 0) return [{ test: file, message: message ?? 'could not be loaded' }];
      return tests.map(({ fullName, failureMessages = [] }) => ({
        test: `${file} › ${fullName}`,
        message: failureMessages.join('\n'),
      }));
    });
    return { passed: report.numPassedTests, failures };
  } catch (error) {
    // Tests that nobody can count did not pass.
    return failed(project, error);
  }
}
