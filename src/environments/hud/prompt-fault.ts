import { isList, isObject, type Json } from '../../base/json.ts';
import { abbreviateJson } from '../../python/json.ts';

/** Keys of the blocks of MCP whose values are texts. */
const TEXTS: ReadonlyMap<Json | undefined, readonly string[]> = new Map([
  ['text', ['text']],
  ['image', ['data', 'mimeType']],
  ['audio', ['data', 'mimeType']],
  ['resource_link', ['name', 'uri']],
]);

/** Why HUD does not read the prompt of a start frame as intended, as a sentence; null if it does. */
export function promptFault(prompt: Json | undefined): string | null {
  if (prompt === undefined || prompt === null || typeof prompt === 'string') return null;
  const fault = (what: string): string => `HUD 0.6.21 does not read the prompt of this template: ${what}.`;
  if (!isList(prompt)) return fault(`${abbreviateJson(prompt)} is neither a text nor a list of messages`);
  for (const turn of prompt) {
    if (!isObject(turn) || typeof turn['content'] === 'string') continue;
    const { content } = turn;
    if (!(isList(content) ? content : [content]).every(isBlock))
      return fault(`${abbreviateJson(turn)} is no message of MCP`);
  }
  return null;
}

/** Whether a value is content of MCP. */
function isBlock(block: Json | undefined): boolean {
  if (!isObject(block)) return false;
  const { type, uri, resource } = block;
  if (type === 'resource') {
    return isObject(resource) && isUri(resource['uri']) && [resource['text'], resource['blob']].some(isText);
  }
  const isWhole = TEXTS.get(type)?.every((key) => isText(block[key])) === true;
  return isWhole && (type !== 'resource_link' || isUri(uri));
}

function isText(value: Json | undefined): value is string {
  return typeof value === 'string';
}

function isUri(value: Json | undefined): boolean {
  return isText(value) && URL.canParse(value);
}
