import { describe, expect, it } from 'vitest';
import type { DownloadedFile, FunctionContext } from '../../../src/functions/declaration.ts';
import { runCall } from '../../../src/functions/evaluate.ts';
import { NotRecorded } from '../../../src/functions/not-recorded.ts';
import { NO_USER_FUNCTIONS } from '../../../src/functions/user/load.ts';

/** A download with this content in pieces; without one, it was not recorded. */
function file(name: string, content: readonly Uint8Array[] | null = [], more: Partial<DownloadedFile> = {}) {
  return {
    name,
    state: 'completed',
    size: 3,
    async *content() {
      if (content === null) throw new NotRecorded(`the content of the download “${name}” is not recorded`);
      yield* content;
    },
    ...more,
  } satisfies DownloadedFile;
}

async function judge(files: readonly DownloadedFile[], ...args: readonly unknown[]) {
  const context: FunctionContext = { response: null, actions: [], actionTimeout: 1, downloads: async () => files };
  const result = await runCall(
    { function: 'file_downloaded', args: args as never },
    'evaluate',
    context,
    NO_USER_FUNCTIONS,
  );
  return 'error' in result ? result.error.code : `${result.value}: ${result.reason}`;
}

const bytes = (text: string, encoding: BufferEncoding = 'utf8') => Buffer.from(text, encoding);

describe('file_downloaded', () => {
  it.each([
    [['report.csv'], '1: “report.csv” (3 bytes) was downloaded'],
    [['Report.csv'], '0: '],
    [[{ pattern: 'rep.*\\.csv$' }], '1: “report.csv” (3 bytes) was downloaded'],
    [[{ pattern: '(?i)^REPORT' }], '1: “report.csv” (3 bytes) was downloaded'],
    [[{ pattern: '^csv' }], '0: no download matches “^csv”; downloaded: “report.csv”'],
    [['report.csv', { contains: 'Lämp' }], '1: “report.csv” (3 bytes) contains “Lämp”'],
    [['report.csv', { contains: ['Lämp', '78'] }], '1: “report.csv” (3 bytes) contains “Lämp” and “78”'],
    [['report.csv', { contains: ['Lämp', '79'] }], '0: “79” is not in the downloaded “report.csv” (3 bytes)'],
    [['report.csv', {}], '1: “report.csv” (3 bytes) was downloaded'],
    [[''], 'invalid_arguments'],
    [['report.csv', 'Lamp'], 'invalid_arguments'],
    [['report.csv', { containing: 'Lamp' }], 'invalid_arguments'],
    [[{ pattern: '(' }], 'invalid_arguments'],
    [[], 'invalid_arguments'],
  ])('%j: %s', async (args, expected) => {
    // Cut inside of a character, and inside of a text.
    const text = bytes('Lämp,78');
    const pieces = [text.subarray(0, 2), text.subarray(2, 7), text.subarray(7)];
    expect(await judge([file('report.csv', pieces)], ...args)).toContain(expected);
  });

  it.each<[string, readonly DownloadedFile[], string]>([
    ['nothing', [], '0: nothing was downloaded'],
    ['a failed one', [file('a', [], { state: 'failed', size: null })], '0: the download of “a” failed'],
    ['one in progress', [file('a', [], { state: 'started', size: null })], '0: the download of “a” was not complete'],
    ['another one', [file('b'), file('b'), file('c')], '0: “a” was not downloaded; downloaded: “b” and “c”'],
    ['two of that name', [file('a', [], { state: 'failed' }), file('a')], '1: “a” (3 bytes) was downloaded'],
  ])('of %s', async (_, files, expected) => {
    expect(await judge(files, 'a')).toContain(expected);
  });

  it('reads each download of that name, in its encoding', async () => {
    const files = [file('a', [bytes('one')]), file('a', [bytes('\ufefftwo', 'utf16le')])];
    expect(await judge(files, 'a', { contains: 'two' })).toBe('1: “a” (3 bytes) contains “two”');
    expect(await judge(files, 'a', { contains: 'six' })).toMatch(/^0: “six” is not in the downloaded/);
  });

  it('is unknown where the content is not recorded, unless another one decides it', async () => {
    expect(await judge([file('a', null)], 'a')).toMatch(/^1/);
    expect(await judge([file('a', null)], 'a', { contains: 'x' })).toBe('not_recorded');
    expect(await judge([file('a', null), file('a', [bytes('y')])], 'a', { contains: 'x' })).toBe('not_recorded');
    expect(await judge([file('a', null), file('a', [bytes('x')])], 'a', { contains: 'x' })).toMatch(/^1/);
  });
});
