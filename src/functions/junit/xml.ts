import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { firstLine } from '../../base/first-line.ts';
import type { JsonObject } from '../../base/json.ts';
import { AgentFault } from '../agent-fault.ts';

/** Elements that are lists even if there is only one. */
const REPEATED = new Set(['testsuite', 'testcase', 'failure', 'error', 'skipped', 'property']);

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  isArray: (name, _path, _leaf, isAttribute) => !isAttribute && REPEATED.has(name),
  parseTagValue: false,
  parseAttributeValue: false,
  // The parser never loads external entities.
  processEntities: true,
  // Also decodes `&#10;`.
  htmlEntities: true,
});

/**
 * Parses XML that a command has written, in its declared encoding.
 *
 * @returns the root element by its name; attributes are members that begin with `@`
 * @throws AgentFault if the file is empty or cut short, because the agent's work has ended the command; any other error
 * if it is complete and cannot be parsed
 */
export function parseXml(bytes: Uint8Array, file: string): JsonObject {
  const text = decodeXml(bytes, file).trim();
  if (text === '') throw new AgentFault(`“${file}” is empty`);
  const valid = XMLValidator.validate(text);
  if (valid !== true) {
    const where = `${valid.err.msg} (line ${valid.err.line})`;
    if (isCutShort(text)) throw new AgentFault(`“${file}” is cut short: ${where}`);
    throw new Error(`“${file}” is not an XML file: ${where}. ${REMEDY}`);
  }
  try {
    return parser.parse(text) as JsonObject;
  } catch (error) {
    // Too deeply nested elements, or too many entities.
    throw new Error(`“${file}” cannot be read: ${firstLine(error)}`, { cause: error });
  }
}

/** What to do about a file that is not a report. */
export const REMEDY = 'Let the command write a JUnit report there';

/** Whether a file begins as XML, but its root element does not end. */
function isCutShort(text: string): boolean {
  if (!text.startsWith('<')) return false;
  const root = /<([^\s<>/?!]+)/.exec(text);
  if (root === null) return true;
  const isOnlyElement = text.lastIndexOf('<') === root.index && text.endsWith('/>');
  return !isOnlyElement && /<\/([^\s<>]+)\s*>$/.exec(text)?.[1] !== root[1];
}

/** The text of an XML file. Bytes that are invalid in its encoding become U+FFFD, as in the output of a test. */
function decodeXml(bytes: Uint8Array, file: string): string {
  const encoding = encodingOf(bytes);
  try {
    return new TextDecoder(encoding).decode(bytes);
  } catch (error) {
    throw new Error(`the encoding “${encoding}” of “${file}” is not supported; let the command write UTF-8`, {
      cause: error,
    });
  }
}

/** The encoding that the first bytes show, or that the XML declaration names; UTF-8 by default. */
function encodingOf(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) return 'utf-16be';
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, 200));
  const declared = /^(?:\xEF\xBB\xBF)?<\?xml\s[^>]*?encoding\s*=\s*["']([^"']+)["']/.exec(start)?.[1];
  // A declaration that can be read byte by byte is not in UTF-16, whatever it says.
  return declared === undefined || /^(?:utf-?16|ucs-?2)/i.test(declared) ? 'utf-8' : declared;
}
