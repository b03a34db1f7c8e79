import { readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import Mocha from 'mocha';

/** Called by the extension host: runs the tests of one folder and writes how they went. */
export function run(): Promise<void> {
  const suite = process.env['TASKWRIGHT_HOST_SUITE'] ?? 'trusted';
  const folder = join(__dirname, suite);
  const mocha = new Mocha({ ui: 'bdd', timeout: 120_000, reporter: Lines });
  for (const name of readdirSync(folder).sort()) if (name.endsWith('.test.js')) mocha.addFile(join(folder, name));
  let passed = 0;
  const failures: { test: string; message: string; file: string }[] = [];
  const sourceOf = (file = ''): string => `test/host/${suite}/${basename(file, '.js')}.ts`;
  /** Seconds that the tests of a file took with their hooks, by its path in the repository. */
  const seconds = new Map<string, number>();
  let lastEnd = performance.now();
  return new Promise((resolve, reject) => {
    const runner = mocha.run(() => {
      const results = process.env['TASKWRIGHT_HOST_RESULTS'];
      const files = Array.from(seconds, ([file, seconds]) => ({ file, seconds }));
      if (results !== undefined) writeFileSync(results, JSON.stringify({ passed, failures, files }));
      if (failures.length > 0) reject(new Error(`${failures.length} failed`));
      else resolve();
    });
    runner.on('pass', () => {
      passed += 1;
    });
    runner.on('test end', ({ file }) => {
      const now = performance.now();
      const source = sourceOf(file);
      seconds.set(source, (seconds.get(source) ?? 0) + (now - lastEnd) / 1000);
      lastEnd = now;
    });
    runner.on('fail', (test, error: Error) => {
      const message = error.stack ?? error.message;
      failures.push({ test: `${suite} › ${test.fullTitle()}`, message, file: sourceOf(test.file) });
    });
  });
}

function say(text: string): void {
  // What an extension host prints reaches the test runner among much else: the mark tells ours.
  for (const line of text.split('\n')) console.log(`[host-test] ${line}`);
}

/** Prints one line a test. */
class Lines extends Mocha.reporters.Base {
  constructor(runner: Mocha.Runner, options?: Mocha.MochaOptions) {
    super(runner, options);
    runner.on('pass', (test) => say(`  ✓ ${test.fullTitle()} (${test.duration ?? 0} ms)`));
    runner.on('fail', (test, error: Error) => say(`  ✗ ${test.fullTitle()}\n${error.stack ?? error.message}`));
  }
}
