import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's folder. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Everything that is downloaded for tests and for `npm start`; git ignores it. */
export const cacheFolder = join(root, '.vscode-test');

/** Where test runs leave what a person may want to look at: screenshots, logs. */
export const outFolder = join(root, 'out');
