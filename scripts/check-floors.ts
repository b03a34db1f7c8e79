// Holds the floors of src/: exits 1 and names every import that goes up or where it does not belong.

import { checkFloors } from './floors.ts';
import { root } from './places.ts';

const violations = await checkFloors(root);
for (const { file, line, message } of violations) process.stdout.write(`${file}:${line}: ${message}\n`);
process.exit(violations.length === 0 ? 0 : 1);
