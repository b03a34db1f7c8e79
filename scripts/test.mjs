// npm test [-- SUITE...]

import { runScript } from './bootstrap.mjs';

await runScript('test.ts');
