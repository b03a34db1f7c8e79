// Exits with 1 and names every import of the sources that breaks a rule.

import { checkImports } from './import-rules.ts';
import { root } from './places.ts';

const violations = await checkImports(root);
for (const { file, line, message } of violations) process.stdout.write(`${file}:${line}: ${message}\n`);
process.exit(violations.length === 0 ? 0 : 1);
