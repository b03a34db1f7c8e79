// npm run package: writes taskwright-<version>.vsix into the repository's folder.

import { build } from './build.ts';
import { packageVsix } from './package-vsix.ts';
import { root } from './places.ts';

await build();
process.stdout.write(`${await packageVsix(root)}\n`);
