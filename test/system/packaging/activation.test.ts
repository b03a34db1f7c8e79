import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../../scripts/places.ts';

const dist = join(root, 'dist');
const program = readFileSync(join(dist, 'extension.js'), 'utf8');
/** What stands in zod and nowhere else. */
const ZOD = 'ZodError';

describe('what VS Code loads when the extension is activated', () => {
  it('is one file, and nothing else that is not part of Node.js or VS Code', () => {
    // What is imported later is asked for inside a call.
    const runToEnd = [...program.matchAll(/(?:var |,)[\w$]+=(?:[\w$]+\()?require\("([^"]+)"\)/g)].map(
      ([, name]) => name,
    );
    expect(runToEnd).toContain('vscode');
    expect(runToEnd.filter((name = '') => name !== 'vscode' && !isBuiltin(name))).toEqual([]);
  });

  it('has no schema in it: zod would double what is read', () => {
    const withSchemas = readdirSync(dist).filter(
      (name) => name.startsWith('extension') && readFileSync(join(dist, name), 'utf8').includes(ZOD),
    );
    expect(withSchemas).not.toContain('extension.js');
    expect(withSchemas.length).toBeGreaterThan(0);
  });
});
