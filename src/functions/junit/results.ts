import { groupBy } from '../../base/group-by.ts';
import { isObject, type Json, type JsonObject, listOf, objectOf, textOf } from '../../base/json.ts';
import { list } from '../words.ts';
import { parseXml, REMEDY } from './xml.ts';

/** How many characters of a failure message are kept. */
const MAX_MESSAGE = 500;
/** The names of pytest’s suite, which can be set, and of its root element. */
const PYTEST: ReadonlySet<Json | undefined> = new Set(['pytest', 'pytest tests']);

/** The result of one test, as its runner counts it. */
export interface TestResult {
  /** The names of the suites around it, the outermost first. */
  readonly suites: readonly string[];
  readonly classname: string;
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** Why it failed; otherwise empty. */
  readonly message: string;
}

/** A file with the bytes that a command has written. */
export interface ReportFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/**
 * Reads JUnit XML as pytest, Node.js, Vitest, Jest, gotestsum, cargo nextest, Maven, Gradle and others write it. Other
 * XML files next to reports are ignored.
 *
 * @throws AgentFault if a file is empty or cut short; any other error if a file cannot be read, or none is a report
 */
export function readReports(files: readonly ReportFile[]): readonly TestResult[] {
  const reports = files.map(({ name, bytes }) => parseXml(bytes, name)).filter(isReport);
  if (reports.length === 0) {
    const names = list(files.slice(0, 3).map(({ name }) => `“${name}”`));
    throw new Error(`${names}: no root element is <testsuites> or <testsuite>. ${REMEDY}`);
  }
  return reports.flatMap((root) => [
    ...resultsIn(objectOf(root['testsuites']), [], false),
    ...listOf(root['testsuite']).flatMap((suite) => ofSuite(suite, [], false)),
  ]);
}

function isReport(root: JsonObject): boolean {
  return 'testsuites' in root || 'testsuite' in root;
}

/** The tests of a suite; one failed test if it has none because it could not be loaded. */
function ofSuite(element: Json, around: readonly string[], areUnique: boolean): readonly TestResult[] {
  // The parser returns an empty element as a string.
  const suite = objectOf(element);
  const name = textOf(suite['@name']);
  const suites = name === null ? around : [...around, name];
  const results = resultsIn(suite, suites, areUnique);
  const failures = failuresOf(suite);
  const isFailed = failures.length > 0 || Number(suite['@errors']) > 0 || Number(suite['@failures']) > 0;
  if (results.length > 0 || !isFailed) return results;
  const message = ['its tests did not run', ...failures.map(messageOf)].join(': ');
  return [{ suites: around, classname: '', name: name ?? '', outcome: 'failed', message }];
}

/**
 * The tests directly in a suite, and those in its suites.
 *
 * @param areUnique whether the runner gives no two tests of a suite the same name
 */
function resultsIn(suite: JsonObject, suites: readonly string[], areUnique: boolean): readonly TestResult[] {
  const cases = listOf(suite['testcase']).map(objectOf);
  const hasUnique = areUnique || hasUniqueNames(suite);
  const areRepeated = hasUnique || Number(suite['@tests']) < cases.length;
  const tests = areRepeated ? [...groupBy(cases, identityOf).values()] : cases.map((one) => [one]);
  return [
    ...tests.map((runs) => resultOf(runs, suites)),
    ...listOf(suite['testsuite']).flatMap((inner) => ofSuite(inner, suites, hasUnique)),
  ];
}

/**
 * Whether the runner gives no two tests of a suite the same name, so that several `<testcase>` of one name are one test.
 * Of pytest, a test that fails in the call and in the teardown has two, and reruns can have one each. gotestsum lists all
 * reruns. Other runners merge reruns, but allow several tests of one name.
 */
function hasUniqueNames(suite: JsonObject): boolean {
  const properties = listOf(objectOf(suite['properties'])['property']);
  return PYTEST.has(suite['@name']) || properties.some((property) => objectOf(property)['@name'] === 'go.version');
}

function identityOf(test: JsonObject): string {
  return JSON.stringify(['@classname', '@name', '@file', '@line'].map((key) => test[key] ?? null));
}

/** The result of a test from its `<testcase>` elements: the last one counts. */
function resultOf(runs: readonly JsonObject[], suites: readonly string[]): TestResult {
  const last = runs.at(-1) ?? {};
  const isFailed = failuresOf(last).length > 0;
  const isSkipped = last['skipped'] !== undefined || last['@status'] === 'notrun';
  return {
    suites,
    classname: textOf(last['@classname']) ?? '',
    name: textOf(last['@name']) ?? '',
    outcome: isFailed ? 'failed' : isSkipped ? 'skipped' : 'passed',
    message: isFailed ? [...new Set(runs.flatMap(failuresOf).map(messageOf))].join('; ') : '',
  };
}

/** Without `flakyFailure` and `rerunFailure`: of a failed rerun that did not decide the result. */
function failuresOf(element: JsonObject): readonly Json[] {
  return [...listOf(element['failure']), ...listOf(element['error'])];
}

function messageOf(failure: Json): string {
  const message = [objectOf(failure)['@message'], isObject(failure) ? failure['#text'] : failure].find(
    (one) => typeof one === 'string' && one.trim() !== '',
  );
  const text = typeof message === 'string' ? message.trim() : 'fails';
  return text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)}…` : text;
}
