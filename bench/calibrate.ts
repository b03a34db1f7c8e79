// A fixed amount of work of the kinds that tests do: scanning text, JSON, maps, patterns, compiling, files, and small buffers.
// Prints the seconds of processor time that it took. `scripts/processor-time.ts` derives its unit from them, so that a budget
// of units holds on any machine. Frozen: a change of this file changes what a unit is. It uses only what Node.js includes.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { crc32, deflateSync, inflateSync } from 'node:zlib';

const ROUNDS = 6;
const TASKS = 2_000;

/** Numbers that look random and are the same in each run. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Row {
  readonly id: string;
  readonly prompt: string;
  readonly calls: readonly { readonly name: string; readonly args: readonly unknown[] }[];
}

function rowsOf(next: () => number): Row[] {
  const words = Array.from({ length: 200 }, () => next().toString(36).slice(2, 10));
  const word = (): string => words[Math.floor(next() * words.length)] ?? '';
  return Array.from({ length: TASKS }, (_, index) => ({
    id: `${word()}-${index}`,
    prompt: Array.from({ length: 20 }, word).join(' '),
    calls: Array.from({ length: 3 }, () => ({ name: word(), args: [word(), Math.floor(next() * 1000), next() < 0.5] })),
  }));
}

/** Counts the tokens of a JSON text character by character. */
function scan(text: string): number {
  let tokens = 0;
  let offset = 0;
  while (offset < text.length) {
    const code = text.charCodeAt(offset);
    if (code === 34) {
      offset += 1;
      while (text.charCodeAt(offset) !== 34) offset += text.charCodeAt(offset) === 92 ? 2 : 1;
      tokens += 1;
    } else if (code > 44 && code < 58) {
      while (text.charCodeAt(offset + 1) > 44 && text.charCodeAt(offset + 1) < 58) offset += 1;
      tokens += 1;
    } else if (code === 91 || code === 123 || code === 116 || code === 102) tokens += 1;
    offset += 1;
  }
  return tokens;
}

function compile(rows: readonly Row[], round: number): number {
  const source = rows
    .map(
      (row, index) =>
        `function f${round}_${index}(a, b) { const c = ${JSON.stringify(row.prompt)}; let s = a; for (let i = 0; i < b; i += 1) { s += c.charCodeAt(i % c.length) * i; if (s > 1e6) s -= 1e6; } return s; }`,
    )
    .join('\n');
  return new Script(`${source}\nf${round}_0(1, 50) + f${round}_1(2, 50)`).runInThisContext() as number;
}

function work(): number {
  const next = generator(40);
  const folder = mkdtempSync(join(tmpdir(), 'taskwright-calibrate-'));
  let sum = 0;
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const rows = rowsOf(next);
      const text = JSON.stringify(rows);
      sum += scan(text);
      const again = JSON.parse(text) as Row[];
      const byWord = new Map<string, string[]>();
      for (const { id, prompt } of again) {
        for (const [found] of prompt.matchAll(/\b[a-m]\w+\b/g))
          byWord.set(found, [...(byWord.get(found) ?? []), id].slice(-8));
      }
      sum += [...byWord].sort(([a], [b]) => a.localeCompare(b)).length;
      sum += compile(again.slice(0, 800), round);
      for (let index = 0; index < 150; index += 1) {
        const path = join(folder, `${index}.json`);
        writeFileSync(path, JSON.stringify(again[index]));
        sum += readFileSync(path).length;
      }
      const packed = deflateSync(text);
      sum += crc32(inflateSync(packed)) % 1000;
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return sum;
}

const checksum = Math.round(work());
const { user, system } = process.cpuUsage();
process.stdout.write(`${JSON.stringify({ checksum, seconds: (user + system) / 1e6 })}\n`);
