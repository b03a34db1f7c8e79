import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { AgentFault } from './agent-fault.ts';
import type { VerdictPart } from './declaration.ts';

/** So many tests are named; those that fail first. */
const MOST_NAMED = 200;
/** Characters of what a test said that are kept. */
const MOST_SAID = 500;

/** What a JUnit report says. */
export interface TestReport {
  readonly passed: number;
  /** Without those that were skipped. */
  readonly total: number;
  readonly skipped: number;
  /** One for each test, those that failed first. */
  readonly parts: readonly VerdictPart[];
}

interface Node {
  readonly [key: string]: unknown;
}

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  // One or many, always a list.
  isArray: (name, _path, _leaf, isAttribute) =>
    !isAttribute && ['testsuite', 'testcase', 'failure', 'error', 'skipped'].includes(name),
  parseTagValue: false,
  parseAttributeValue: false,
  // A report names nothing outside of itself.
  processEntities: true,
  // `&#10;`, too.
  htmlEntities: true,
});

/**
 * Reads JUnit XML as pytest, Node, Vitest, Maven and others write it.
 *
 * @throws AgentFault where it is none, or cannot be read: commands of the agent's wrote it
 */
export function readJUnit(xml: string, name: string): TestReport {
  const none = (why: string, cause?: unknown): AgentFault =>
    new AgentFault(`“${name}” is no JUnit report: ${why}`, { cause });
  let root: Node;
  try {
    const valid = XMLValidator.validate(xml);
    if (valid !== true) throw none(`${valid.err.msg} (line ${valid.err.line})`);
    root = parser.parse(xml) as Node;
  } catch (error) {
    if (error instanceof AgentFault) throw error;
    // Of what nests too deep, or defines entities without end.
    throw none(error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error), error);
  }
  if (!('testsuites' in root) && !('testsuite' in root)) throw none('it has neither <testsuites> nor <testsuite>');
  const parts: VerdictPart[] = [];
  let skipped = 0;
  for (const test of casesIn(root)) {
    if (test['skipped'] !== undefined) {
      skipped += 1;
      continue;
    }
    const wrong = [test['failure'], test['error']].flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : []));
    const label = [test['@classname'], test['@name']]
      .filter((one) => typeof one === 'string' && one !== '')
      .join(' › ');
    parts.push({
      name: label === '' ? 'a test without a name' : label,
      value: wrong.length === 0 ? 1 : 0,
      reason: wrong.length === 0 ? 'passes' : wrong.map(saidBy).join('; '),
    });
  }
  const total = parts.length;
  const passed = parts.filter(({ value }) => value === 1).length;
  const named = [...parts.filter(({ value }) => value < 1), ...parts.filter(({ value }) => value === 1)];
  return { passed, total, skipped, parts: named.slice(0, MOST_NAMED) };
}

/** All tests of suites in suites, however deep and however many. */
function casesIn(root: Node): readonly Node[] {
  const found: Node[] = [];
  const nodes: Node[] = [root];
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    const suites: Node[] = [];
    for (const [key, value] of Object.entries(node)) {
      for (const one of Array.isArray(value) ? value : [value]) {
        // An empty element is a text.
        const child = (typeof one === 'object' && one !== null ? one : {}) as Node;
        if (key === 'testcase') found.push(child);
        else if (key === 'testsuite' || key === 'testsuites') suites.push(child);
      }
    }
    // The next one comes off the end.
    for (const suite of suites.reverse()) nodes.push(suite);
  }
  return found;
}

function saidBy(wrong: unknown): string {
  const node = (typeof wrong === 'object' && wrong !== null ? wrong : { '#text': wrong }) as Node;
  const said = [node['@message'], node['#text']].find((one) => typeof one === 'string' && one.trim() !== '');
  const text = typeof said === 'string' ? said.trim() : 'fails';
  return text.length > MOST_SAID ? `${text.slice(0, MOST_SAID)}…` : text;
}
