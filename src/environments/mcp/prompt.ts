import { isList, isObject, type Json } from '../../base/json.ts';
import { pictureNote, readPicture } from '../base64-picture.ts';
import type { Observation, Picture } from '../environment.ts';

/**
 * Reads a prompt, which is a text or a list of messages. Its text is that of HUD's `Run.prompt_text`: the texts of its turns.
 * The last picture is the screenshot, and the data has a note for each picture. Null if there is no prompt.
 */
export function readPrompt(prompt: Json | undefined): (Observation & { readonly text: string }) | null {
  if (prompt === undefined || prompt === null || prompt === '') return null;
  if (typeof prompt === 'string') return { text: prompt, screenshot: null };
  if (!isList(prompt)) return { text: JSON.stringify(prompt), screenshot: null, data: prompt };
  let screenshot: Picture | null = null;
  const texts: string[] = [];
  const notes: string[] = [];
  const blockOf = (block: Json): Json => {
    if (!isObject(block)) return block;
    const { text, data } = block;
    if (typeof text === 'string' && text !== '') texts.push(text);
    if (typeof data !== 'string') return block;
    const picture = readPicture(data);
    screenshot = picture ?? screenshot;
    const note = picture === undefined ? `(${data.length} characters of base64)` : pictureNote(picture);
    notes.push(note);
    return { ...block, data: note };
  };
  const data = prompt.map((turn): Json => {
    if (!isObject(turn)) {
      texts.push(typeof turn === 'string' ? turn : JSON.stringify(turn));
      return turn;
    }
    const { content } = turn;
    if (typeof content === 'string' && content !== '') texts.push(content);
    if (typeof content === 'string' || content === undefined) return turn;
    return { ...turn, content: isList(content) ? content.map(blockOf) : blockOf(content) };
  });
  const text = (texts.length > 0 ? texts : notes).join('\n\n');
  return text === '' ? null : { text, screenshot, data };
}
