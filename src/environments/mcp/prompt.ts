import type { Json } from '../../base/json.ts';
import { readPicture } from '../base64-picture.ts';
import type { Observation, Picture } from '../environment.ts';

/**
 * What an agent sees of a prompt, a text or a list of messages, and its text, as HUD's `Run.prompt_text`: the texts of its
 * turns. The last picture of the turns is the screenshot; the data has a note for each. Null if there is no prompt.
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
