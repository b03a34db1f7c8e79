// npm run package: writes taskwright-<version>.vsix into the repository's folder.

import { packageVsix } from './package-vsix.ts';
import { root } from './places.ts';

process.stdout.write(`${await packageVsix(root)}\n`);
