import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's folder. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Everything that is downloaded for tests and for `npm start`; git ignores it. */
export const cacheFolder = join(root, '.vscode-test');

/** Output of test runs: screenshots, logs, reports. */
export const outFolder = join(root, 'out');
