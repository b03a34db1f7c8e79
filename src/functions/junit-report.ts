import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { firstLine } from '../base/first-line.ts';
import { isList, isObject, type JsonObject, listOf, objectOf } from '../base/json.ts';
import { AgentFault } from './agent-fault.ts';
import type { VerdictPart } from './declaration.ts';

/** How many tests a report lists. */
const MAX_TESTS = 200;
/** How many characters of a failure message are kept. */
const MAX_MESSAGE = 500;

/** The results in a JUnit report. */
export interface TestReport {
  readonly passed: number;
  /** Without skipped tests. */
  readonly total: number;
  readonly skipped: number;
  /** One for each test, failed tests first. */
  readonly parts: readonly VerdictPart[];
}

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  // Always a list, even of one element.
  isArray: (name, _path, _leaf, isAttribute) =>
    !isAttribute && ['testsuite', 'testcase', 'failure', 'error', 'skipped'].includes(name),
  parseTagValue: false,
  parseAttributeValue: false,
  // The parser never loads external entities.
  processEntities: true,
  // Also decodes `&#10;`.
  htmlEntities: true,
});

/**
 * Reads JUnit XML as pytest, Node, Vitest, Maven and others write it.
 *
 * @throws AgentFault if it is not a valid report, because the agent's commands wrote it
 */
export function readJUnit(xml: string, name: string): TestReport {
  const none = (why: string, cause?: unknown): AgentFault =>
    new AgentFault(`“${name}” is not a JUnit report: ${why}`, { cause });
  let root: JsonObject;
  try {
    const valid = XMLValidator.validate(xml);
    if (valid !== true) throw none(`${valid.err.msg} (line ${valid.err.line})`);
    root = parser.parse(xml) as JsonObject;
  } catch (error) {
    if (error instanceof AgentFault) throw error;
    // Too deeply nested elements, or too many entities.
    throw none(firstLine(error), error);
  }
  if (!('testsuites' in root) && !('testsuite' in root)) throw none('it has neither <testsuites> nor <testsuite>');
  const parts: VerdictPart[] = [];
  let skipped = 0;
  for (const test of casesIn(root)) {
    if (test['skipped'] !== undefined) {
      skipped += 1;
      continue;
    }
    const wrong = [...listOf(test['failure']), ...listOf(test['error'])];
    const label = [test['@classname'], test['@name']]
      .filter((one) => typeof one === 'string' && one !== '')
      .join(' › ');
    parts.push({
      name: label === '' ? 'unnamed test' : label,
      value: wrong.length === 0 ? 1 : 0,
      reason: wrong.length === 0 ? 'passes' : wrong.map(messageOf).join('; '),
    });
  }
  const total = parts.length;
  const passed = parts.filter(({ value }) => value === 1).length;
  const sortedParts = [...parts.filter(({ value }) => value < 1), ...parts.filter(({ value }) => value === 1)];
  return { passed, total, skipped, parts: sortedParts.slice(0, MAX_TESTS) };
}

/** All tests in nested suites. Not recursive, because suites can be nested deeply. */
function casesIn(root: JsonObject): readonly JsonObject[] {
  const cases: JsonObject[] = [];
  const nodes = [root];
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    const suites: JsonObject[] = [];
    for (const [key, value] of Object.entries(node)) {
      for (const one of isList(value) ? value : [value]) {
        // The parser returns an empty element as a string.
        const child = objectOf(one);
        if (key === 'testcase') cases.push(child);
        else if (key === 'testsuite' || key === 'testsuites') suites.push(child);
      }
    }
    // The next suite is taken from the end.
    for (const suite of suites.reverse()) nodes.push(suite);
  }
  return cases;
}

function messageOf(wrong: unknown): string {
  const message = [objectOf(wrong)['@message'], isObject(wrong) ? wrong['#text'] : wrong].find(
    (one) => typeof one === 'string' && one.trim() !== '',
  );
  const text = typeof message === 'string' ? message.trim() : 'fails';
  return text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)}…` : text;
}
