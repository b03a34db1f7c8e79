import { isSuiteName, SUITE_NAMES, type SuiteName } from './suite-options.ts';

/** The options of `npm test`. */
export interface TestOptions {
  /** The one suite that runs; undefined for all. */
  readonly suite: SuiteName | undefined;
  /** Parts of the paths of the files that run; empty for all. */
  readonly include: readonly string[];
  /** Runs every case of generators, fuzzers, and attacks, and the tests that only the long run has. */
  readonly isLong: boolean;
  /** `1/3`: the first of three parts of the tests. */
  readonly shard: string | undefined;
}

/** Reads the arguments of `npm test`. Throws an error that names what is wrong. */
export function parseTestOptions(words: readonly string[]): TestOptions {
  const names: string[] = [];
  let isLong = false;
  let shard: string | undefined;
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    if (word === '--long') isLong = true;
    else if (word === '--shard' || word.startsWith('--shard=')) {
      if (word === '--shard') index += 1;
      shard = readShard(word === '--shard' ? words[index] : word.slice('--shard='.length));
    } else if (word.startsWith('-'))
      throw new Error(`There is no option ${word}. Options: --long, --shard PART/PARTS.`);
    else names.push(word);
  }
  const [suite, ...include] = names;
  if (suite !== undefined && !isSuiteName(suite))
    throw new Error(`There is no suite "${suite}". Suites: ${SUITE_NAMES.join(', ')}.`);
  return { suite, include, isLong, shard };
}

function readShard(text = ''): string {
  const [, part, parts] = /^(\d+)\/(\d+)$/.exec(text) ?? [];
  if (!(Number(part) >= 1 && Number(part) <= Number(parts)))
    throw new Error(`--shard needs a part of the tests, such as 1/3, not "${text}".`);
  return text;
}
