import type { Json } from '../../tasks/task.ts';

/**
 * The prompt of a start frame as one text, as HUD's `Run.prompt_text`: the texts of its turns, without pictures. Null if it
 * has none.
 */
export function promptText(prompt: Json | undefined): string | null {
  if (prompt === undefined || prompt === null || prompt === '') return null;
  if (typeof prompt === 'string') return prompt;
  if (!Array.isArray(prompt)) return JSON.stringify(prompt);
  const turns: readonly Json[] = prompt;
  return turns.flatMap(textsOf).join('\n\n') || null;
}

function textsOf(turn: Json): readonly string[] {
  if (typeof turn !== 'object' || turn === null || Array.isArray(turn)) return [printed(turn)];
  const { content } = turn as { readonly content?: Json };
  if (typeof content === 'string') return content === '' ? [] : [content];
  const blocks: readonly Json[] = Array.isArray(content) ? content : [content ?? null];
  return blocks.flatMap((block) => {
    const text = typeof block === 'object' && block !== null ? (block as { readonly text?: Json }).text : null;
    return typeof text === 'string' && text !== '' ? [text] : [];
  });
}

function printed(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
