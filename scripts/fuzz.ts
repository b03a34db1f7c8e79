// npm run fuzz -- KIND --budget SECONDS [--seed N]: searches for inputs that break a property until the budget is used up.
import { parseArgs } from 'node:util';
import { build } from './build.ts';
import { runVitest } from './vitest-suite.ts';

/** The vitest project and the file of each kind, and how many properties share the budget. */
const KINDS: Readonly<Record<string, { project: string; file: string; properties: number }>> = {
  texts: { project: 'unit', file: 'test/unit/language/bad-input.test.ts', properties: 13 },
  traces: { project: 'unit', file: 'test/unit/traces/bad-traces.test.ts', properties: 2 },
  frames: { project: 'unit', file: 'test/unit/server/bad-frames.test.ts', properties: 3 },
  visible: { project: 'system', file: 'test/system/functions/visible-text.test.ts', properties: 1 },
  pages: { project: 'attacks', file: 'test/attacks/pages/generated.test.ts', properties: 1 },
};

const USAGE = `npm run fuzz -- ${Object.keys(KINDS).join('|')} --budget SECONDS [--seed N]`;

function fail(message: string): never {
  process.stderr.write(`${message}\n${USAGE}\n`);
  process.exit(2);
}

const options = { budget: { type: 'string' }, seed: { type: 'string' } } as const;
const { values, positionals } = parseArgs({ options, allowPositionals: true });
const [name = '', ...others] = positionals;
const kind = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
if (kind === undefined || others.length > 0) fail(`Name one kind of input, not “${positionals.join(' ')}”.`);
const budget = Number(values.budget);
if (!(budget > 0)) fail('The budget is a number of seconds above 0.');
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
if (!Number.isInteger(seed)) fail('The seed is a whole number.');

if (kind.project !== 'unit') await build();
const env = { TASKWRIGHT_FUZZ_SECONDS: String(budget / kind.properties), TASKWRIGHT_TEST_SEED: String(seed) };
const { passed, failures } = await runVitest(
  kind.project,
  { project: kind.project, include: [kind.file], env },
  (text) => void process.stdout.write(text),
);
process.stdout.write(`${passed} properties held, ${failures.length} failed; seed ${seed}\n`);
process.exitCode = failures.length > 0 || passed === 0 ? 1 : 0;
