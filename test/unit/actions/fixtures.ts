import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The rows of a recorded file under `test/fixtures`. */
export function recorded<Row>(...path: readonly string[]): Row[] {
  return readText(...path)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);
}

export function readText(...path: readonly string[]): string {
  return readFileSync(join(import.meta.dirname, '..', '..', 'fixtures', ...path), 'utf8');
}
