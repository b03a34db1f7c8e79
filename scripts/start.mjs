// npm start [-- --port N | --no-open]

import { runScript } from './bootstrap.mjs';

await runScript('open.ts');
