import type * as fs from 'node:fs';
import { linkSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';

let shortOf: string | null = null;

/** The modules under test with a file system that lacks something for a while. Other tests have loaded the real one. */
async function withShortages() {
  vi.resetModules();
  vi.doMock('node:fs', async (original) => {
    const real = await original<typeof fs>();
    const refusing = <Arguments extends unknown[], Result>(call: (...args: Arguments) => Result) => {
      return (...args: Arguments): Result => {
        if (shortOf === null) return call(...args);
        throw Object.assign(new Error(shortOf), { code: shortOf });
      };
    };
    return {
      ...real,
      readdirSync: refusing(real.readdirSync),
      readFileSync: refusing(real.readFileSync),
      statSync: refusing(real.statSync),
    };
  });
  onTestFinished(() => {
    shortOf = null;
    vi.doUnmock('node:fs');
    vi.resetModules();
  });
  const { Withheld } = await import('../../../src/environments/withheld.ts');
  const { looksLikeTaskFile } = await import('../../../src/tasks/recognition.ts');
  return { Withheld, looksLikeTaskFile };
}

it.each(['EMFILE', 'ENFILE', 'ENOMEM'])(
  'no file counts as allowed while files cannot be examined: %s',
  async (code) => {
    const { Withheld, looksLikeTaskFile } = await withShortages();
    const folder = mkdtempSync(join(tmpdir(), 'taskwright-shortage-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'other.actions'), 'click("#answer")');
    writeFileSync(join(folder, 'a.task.json'), '{"prompt": "Answer"}');
    linkSync(join(folder, 'other.actions'), join(folder, 'link.html'));
    const withheld = new Withheld(folder, []);

    shortOf = code;
    expect(() => withheld.roleOf(join(folder, 'link.html'))).toThrow(code);
    expect(() => looksLikeTaskFile(join(folder, 'a.task.json'))).toThrow(code);

    shortOf = null;
    expect(withheld.roleOf(join(folder, 'link.html'))).toBe('solution');
    expect(looksLikeTaskFile(join(folder, 'a.task.json'))).toBe(true);
  },
);
