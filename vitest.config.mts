import { defineConfig } from 'vitest/config';
import { inPageForVite } from './scripts/in-page.mjs';

/**
 * Test files of a worker share a process: loading the sources for each takes a third of the time of unit tests, and a second
 * of the processor for each file of the other suites. Tests restore what they change.
 */
const sharedProcess = { isolate: false, unstubEnvs: true, unstubGlobals: true, restoreMocks: true };

/** The machines of tests are busy: Taskwright waits longer for programs. */
const patient = { env: { TASKWRIGHT_PATIENCE: '5' } };

export default defineConfig({
  plugins: [inPageForVite],
  test: {
    projects: [
      // Pure: no browser, no child process, no VS Code.
      {
        extends: true,
        test: {
          ...sharedProcess,
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          setupFiles: ['test/unit/seed.ts'],
          testTimeout: 120_000,
          maxWorkers: 2,
        },
      },
      // With a real browser or real child processes; needs `npm run build` and a browser.
      {
        extends: true,
        test: {
          ...sharedProcess,
          ...patient,
          name: 'system',
          include: ['test/system/**/*.test.ts'],
          testTimeout: 180_000,
          hookTimeout: 180_000,
          expect: { poll: { timeout: 60_000 } },
          maxWorkers: 2,
        },
      },
      // What an agent, a page or a file tries against the verdict, the machine and other runs.
      {
        extends: true,
        test: {
          ...sharedProcess,
          ...patient,
          name: 'attacks',
          include: ['test/attacks/**/*.test.ts'],
          setupFiles: ['test/unit/seed.ts'],
          testTimeout: 180_000,
          hookTimeout: 900_000,
          expect: { poll: { timeout: 60_000 } },
          maxWorkers: 2,
        },
      },
      // With a real Docker.
      {
        extends: true,
        test: {
          ...sharedProcess,
          // A container that never answers is waited for.
          env: { TASKWRIGHT_PATIENCE: '2' },
          name: 'docker',
          include: ['test/docker/**/*.test.ts'],
          globalSetup: ['test/docker/images.ts'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
          expect: { poll: { timeout: 60_000 } },
          // Most of the time is waiting for containers to start and to end.
          maxWorkers: 2,
        },
      },
      // The packaged extension in the full workbench, as a user uses it. The journeys of a worker share a window where they
      // can. Most of the time is waiting for VS Code.
      {
        extends: true,
        test: {
          ...sharedProcess,
          ...patient,
          name: 'journeys',
          include: ['test/journeys/**/*.test.ts'],
          globalSetup: ['test/journeys/install.ts'],
          setupFiles: ['test/report-journeys.ts'],
          testTimeout: 600_000,
          hookTimeout: 300_000,
          expect: { poll: { timeout: 120_000 } },
          maxWorkers: 2,
        },
      },
    ],
  },
});
