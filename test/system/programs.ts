import { join } from 'node:path';

export const root = join(import.meta.dirname, '..', '..');
/** Where the programs were built to. */
export const dist = process.env['TASKWRIGHT_TEST_DIST'] ?? join(root, 'dist');
