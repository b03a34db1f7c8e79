import * as z from 'zod';
import { pattern, texts } from './arguments.ts';
import type { DownloadedFile, Verdict } from './declaration.ts';
import { declare } from './declare.ts';
import { differenceOf } from './differences.ts';
import { NotRecorded } from './not-recorded.ts';
import { findPattern } from './pattern.ts';
import { areAll, firstHint, hintFirst, list, quote, quoteAll } from './words.ts';

const name = z.union([z.string().min(1), z.strictObject({ pattern })], {
  error: 'expected a name, or an object of a `pattern`',
});
const options = z.strictObject({ contains: texts.optional() }, { error: 'expected an object of `contains`' });

/** Evaluate functions of the files that pages have downloaded. */
export const downloadFunctions = [
  declare({
    name: 'file_downloaded',
    phase: 'evaluate',
    needs: ['page'],
    reads: ['downloads'],
    args: z.tuple([name, options.optional()]),
    parameters: ['name', 'options?'],
    doc: 'Checks whether the page has downloaded a file with the name, or one that matches `{pattern}` (Python syntax). `{contains}` is a text, or a list of texts, in the file.',
    async run(context, expected, { contains = [] } = {}): Promise<Verdict> {
      if (context.downloads === undefined) throw new Error('this environment has no downloads');
      const downloads = await context.downloads();
      const namesakes = matching(downloads, expected);
      const complete = namesakes.filter(({ state }) => state === 'completed');
      const [first] = complete;
      if (first === undefined) return { value: 0, reason: whyNone(expected, downloads, namesakes) };
      const expectedTexts = [contains].flat();
      if (expectedTexts.length === 0) return { value: 1, reason: `${describe(first)} was downloaded` };
      let missing: readonly string[] = expectedTexts;
      let unknown: NotRecorded | null = null;
      for (const download of complete) {
        try {
          missing = await missingIn(download, expectedTexts);
        } catch (error) {
          if (!(error instanceof NotRecorded)) throw error;
          unknown = error;
          continue;
        }
        if (missing.length === 0)
          return { value: 1, reason: `${describe(download)} contains ${quoteAll(expectedTexts)}` };
      }
      if (unknown !== null) throw unknown;
      return { value: 0, reason: `${areAll(missing)} not in the downloaded ${list(complete.map(describe))}` };
    },
  }),
];

type Name = z.infer<typeof name>;

function matching(downloads: readonly DownloadedFile[], expected: Name): readonly DownloadedFile[] {
  if (typeof expected === 'string') return downloads.filter((one) => one.name === expected);
  const matches = findPattern(
    expected.pattern,
    downloads.map((one) => one.name),
  );
  return downloads.filter((_, index) => matches[index] !== undefined);
}

function whyNone(expected: Name, downloads: readonly DownloadedFile[], namesakes: readonly DownloadedFile[]): string {
  const [other] = namesakes;
  if (other !== undefined) {
    return other.state === 'failed'
      ? `the download of “${other.name}” failed`
      : `the download of “${other.name}” was not complete`;
  }
  if (downloads.length === 0) return 'nothing was downloaded';
  const names = list([...new Set(downloads.map((one) => `“${one.name}”`))].slice(0, 8));
  if (typeof expected !== 'string') return `no download matches ${quote(expected.pattern)}; downloaded: ${names}`;
  const hint = firstHint(downloads, (one) => differenceOf(expected, one.name));
  return hintFirst(hint, `“${expected}” was not downloaded; downloaded: ${names}`);
}

function describe({ name: fileName, size }: DownloadedFile): string {
  return `“${fileName}” (${(size ?? 0).toLocaleString('en')} bytes)`;
}

/** The texts that a download does not contain. It is UTF-8, or UTF-16 with a byte order mark. */
async function missingIn(download: DownloadedFile, expectedTexts: readonly string[]): Promise<readonly string[]> {
  const longest = Math.max(...expectedTexts.map((text) => text.length));
  let missing = expectedTexts.filter((text) => text !== '');
  let decoder: TextDecoder | null = null;
  let end = '';
  for await (const chunk of download.content()) {
    decoder ??= new TextDecoder(encodingOf(chunk));
    const text = end + decoder.decode(chunk, { stream: true });
    missing = missing.filter((one) => !text.includes(one));
    if (missing.length === 0) break;
    end = longest > 1 ? text.slice(1 - longest) : '';
  }
  return missing;
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}
