import { mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RecordedState } from '../../../src/environments/recorded.ts';
import { PagesFile, PagesWriter } from '../../../src/traces/pages-file.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'taskwright-pages-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

const state = (page: unknown, more: Partial<RecordedState> = {}): RecordedState => ({
  page: Buffer.from(JSON.stringify(page)),
  resources: {},
  actions: [],
  ...more,
});
const text = (page: Uint8Array | null | undefined): string | null =>
  (page && Buffer.from(page).toString('utf8')) || null;
const click = { input: "click('#a')", normalised: null, error: null, typed: null, element: null };
const path = () => join(folder, 'pages.br');

async function write(states: readonly (readonly [number, RecordedState])[]): Promise<void> {
  const pages = await PagesWriter.create(folder);
  for (const [index, one] of states) await pages.add(index, one);
  await pages.end();
}

describe('the pages of a run', () => {
  it('are rejected if they exceed the limit when decompressed', async () => {
    await writeFile(path(), brotliCompressSync(Buffer.alloc(5 * 1024 * 1024)));
    await expect(PagesFile.open(folder, 4 * 1024 * 1024)).rejects.toThrow('it has more than 4 MB when decompressed');
  });

  it('are read with their resources and the earlier actions', async () => {
    await write([
      [0, state({ a: 1 }, { resources: { hash: Buffer.from('p { color: red }') } })],
      [1, state({ a: 'ü\n' }, { actions: [click] })],
      [2, { page: null, missing: 'the page hung', resources: {}, actions: [click] }],
    ]);
    const pages = await PagesFile.open(folder);
    expect(pages?.indexes).toEqual([0, 1]);
    expect(text(pages?.at(1).page)).toBe('{"a":"ü\\n"}');
    expect(text(pages?.at(0).resources['hash'])).toBe('p { color: red }');
    expect(pages?.at(1).actions).toEqual([click]);
    expect(pages?.at(2)).toMatchObject({ page: null, missing: 'the page hung', actions: [click, click] });
    expect(pages?.at(9).missing).toBe('the step has no recorded page');
  });

  it('can be read during the run', async () => {
    const pages = await PagesWriter.create(folder);
    await pages.add(0, state('first'));
    expect((await PagesFile.open(folder))?.indexes).toEqual([0]);
    await pages.add(1, state('second'));
    expect((await PagesFile.open(folder))?.indexes).toEqual([0, 1]);
    await pages.end();
  });

  it('take little space if little changes', async () => {
    const page = Array.from({ length: 2000 }, (_, index) => ['p', ['id', `e${index}`], [String(Math.sin(index))]]);
    const pages = await PagesWriter.create(folder);
    await pages.add(0, state(page));
    const first = (await stat(path())).size;
    for (let index = 1; index <= 40; index += 1) await pages.add(index, state([...page, ['p', [], [`step ${index}`]]]));
    await pages.end();
    expect(((await stat(path())).size - first) / 40).toBeLessThan(200);
  });

  it('are read up to the last complete line of a truncated file', async () => {
    const pages = fc.array(fc.jsonValue(), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(pages, fc.double({ min: 0, max: 1, noNaN: true }), async (values, share) => {
        await rm(path(), { force: true });
        await write(values.map((value, index) => [index, state(value)] as const));
        await truncate(path(), Math.floor((await stat(path())).size * share));
        const read = await PagesFile.open(folder);
        for (const index of read?.indexes ?? []) expect(text(read?.at(index).page)).toBe(JSON.stringify(values[index]));
        expect(read?.indexes ?? []).toEqual(values.slice(0, read?.indexes.length ?? 0).map((_, index) => index));
      }),
      { numRuns: 60 },
    );
  });

  it('of a newer version are rejected with a message', async () => {
    await writeFile(path(), brotliCompressSync('{"format":"taskwright.pages","version":2}\n'));
    await expect(PagesFile.open(folder)).rejects.toMatchObject({ code: 'trace_newer', message: /Update Taskwright/ });
  });

  it('that are invalid are rejected with a position', async () => {
    await writeFile(path(), 'no brotli at all');
    await expect(PagesFile.open(folder)).rejects.toMatchObject({ code: 'trace_broken' });
    await writeFile(path(), brotliCompressSync('{"format":"taskwright.pages","version":1}\n{"index":0,"page":1}\nx\n'));
    await expect(PagesFile.open(folder)).rejects.toThrow(/pages\.br:3 is damaged/);
  });

  it('are missing if the run recorded none', async () => {
    expect(await PagesFile.open(folder)).toBeNull();
  });

  it('can be rewritten without a secret, and continued afterwards', async () => {
    const pages = await PagesWriter.create(folder);
    await pages.add(0, state({ value: 'hunter2' }));
    await pages.rewrite((line) => line.replaceAll('hunter2', '*'));
    await pages.add(1, state({ value: 'later' }));
    await pages.end();
    expect(brotliDecompressSync(await readFile(path())).toString()).not.toContain('hunter2');
    const read = await PagesFile.open(folder);
    expect([text(read?.at(0).page), text(read?.at(1).page)]).toEqual(['{"value":"*"}', '{"value":"later"}']);
  });
});
