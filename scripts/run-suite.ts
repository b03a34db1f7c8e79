// Runs one suite as a separate process, to measure its processor time, and sends the result to its parent.
// Arguments: the suite, and its options as JSON.
import { end } from './ending.ts';
import { spentHere } from './processor-time.ts';
import { isSuiteName, type SuiteOptions } from './suite-options.ts';
import type { SuiteResult } from './suite-process.ts';
import { runSuite } from './suites.ts';

const [name = '', options = '{}'] = process.argv.slice(2);
if (!isSuiteName(name)) throw new Error(`There is no suite "${name}".`);
const count = await runSuite(name, JSON.parse(options) as SuiteOptions);
const result: SuiteResult = { count, seconds: spentHere() };
process.send?.(result, () => void end(0));
