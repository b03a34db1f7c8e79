import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';
import type { Count, Failure, FileTime } from './count.ts';
import { root } from './places.ts';

/** The variable that holds the path of the file to write. */
export const COUNT_FILE = 'TASKWRIGHT_TEST_COUNT';

/** A vitest reporter that writes the run's `Count` as JSON. vitest loads it by its default export. */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const path = process.env[COUNT_FILE];
    if (path === undefined) throw new Error(`${COUNT_FILE} is not set.`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify(countOf(modules, unhandledErrors)));
  }
}

function countOf(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): Count {
  let passed = 0;
  const failures: Failure[] = [];
  const files: FileTime[] = [];
  const fail = (test: string, errors: readonly SerializedError[] = [], file?: string): void => {
    const message = errors.map(({ stack, message }) => stack ?? message).join('\n');
    failures.push({ test, message, ...(file !== undefined && { file }) });
  };
  for (const module of modules) {
    const file = relative(root, module.moduleId);
    const { collectDuration, duration } = module.diagnostic();
    files.push({ file, seconds: (collectDuration + duration) / 1000 });
    // The file could not be loaded, or a hook failed.
    if (module.errors().length > 0) fail(file, module.errors(), file);
    for (const suite of module.children.allSuites()) {
      if (suite.errors().length > 0) fail(`${file} › ${suite.fullName}`, suite.errors(), file);
    }
    for (const test of module.children.allTests()) {
      const { state, errors } = test.result();
      if (state === 'passed') passed += 1;
      else if (state === 'failed') fail(`${file} › ${test.fullName}`, errors, file);
    }
  }
  if (unhandledErrors.length > 0) fail('outside any test', unhandledErrors);
  return { passed, failures, files };
}
