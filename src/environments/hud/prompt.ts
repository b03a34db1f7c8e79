import type { Json } from '../../base/json.ts';
import { shown } from '../../python/json.ts';
import { readPicture } from '../base64-picture.ts';
import type { Observation, Picture } from '../environment.ts';
import { isFrame } from './frames.ts';

/** Keys of the blocks of MCP whose values are texts. */
const TEXTS: ReadonlyMap<Json | undefined, readonly string[]> = new Map([
  ['text', ['text']],
  ['image', ['data', 'mimeType']],
  ['audio', ['data', 'mimeType']],
  ['resource_link', ['name', 'uri']],
]);

/** Why HUD does not read the prompt of a start frame as it is meant, as a sentence; null if it does. */
export function promptFault(prompt: Json | undefined): string | null {
  if (prompt === undefined || prompt === null || typeof prompt === 'string') return null;
  const fault = (what: string): string => `HUD 0.6.21 does not read the prompt of this template: ${what}.`;
  if (!Array.isArray(prompt)) return fault(`${shown(prompt)} is neither a text nor a list of messages`);
  for (const turn of prompt as readonly Json[]) {
    if (!isFrame(turn) || typeof turn['content'] === 'string') continue;
    const { content } = turn;
    const blocks = Array.isArray(content) ? (content as readonly Json[]) : [content];
    if (!blocks.every(isBlock)) return fault(`${shown(turn)} is no message of MCP`);
  }
  return null;
}

/** Whether a value is content of MCP. */
function isBlock(block: Json | undefined): boolean {
  if (!isFrame(block)) return false;
  const { type, uri, resource } = block;
  if (type === 'resource') {
    return isFrame(resource) && isUri(resource['uri']) && [resource['text'], resource['blob']].some(isText);
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

/**
 * What an agent sees of the prompt of a start frame, and its text, as HUD's `Run.prompt_text`: the texts of its turns. The
 * last picture of the turns is the screenshot; the data has a note for each. Null if there is no prompt.
 */
export function readPrompt(prompt: Json | undefined): (Observation & { readonly text: string }) | null {
  if (prompt === undefined || prompt === null || prompt === '') return null;
  if (typeof prompt === 'string') return { text: prompt, screenshot: null };
  if (!Array.isArray(prompt)) return { text: JSON.stringify(prompt), screenshot: null, data: prompt };
  let screenshot: Picture | null = null;
  const texts: string[] = [];
  const notes: string[] = [];
  const blockOf = (block: Json): Json => {
    if (typeof block !== 'object' || block === null || Array.isArray(block)) return block;
    const { text, data } = block as { readonly text?: Json; readonly data?: Json };
    if (typeof text === 'string' && text !== '') texts.push(text);
    if (typeof data !== 'string') return block;
    const picture = readPicture(data);
    screenshot = picture ?? screenshot;
    const note =
      picture === undefined ? `(${data.length} characters of base64)` : `(picture, ${picture.width}×${picture.height})`;
    notes.push(note);
    return { ...block, data: note };
  };
  const data = (prompt as readonly Json[]).map((turn): Json => {
    if (typeof turn !== 'object' || turn === null || Array.isArray(turn)) {
      texts.push(typeof turn === 'string' ? turn : JSON.stringify(turn));
      return turn;
    }
    const { content } = turn as { readonly content?: Json };
    if (content === undefined) return turn;
    if (typeof content === 'string') {
      if (content !== '') texts.push(content);
      return turn;
    }
    return { ...turn, content: Array.isArray(content) ? (content as readonly Json[]).map(blockOf) : blockOf(content) };
  });
  const text = (texts.length > 0 ? texts : notes).join('\n\n');
  return text === '' ? null : { text, screenshot, data };
}
