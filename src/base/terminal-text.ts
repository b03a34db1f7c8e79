import { escapeForJson } from './json.ts';

/** Control characters, line separators, lone surrogates, and characters that change the text direction. */
const UNSAFE = /(?!\t)[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\b': '\\b' };

/**
 * Escapes everything that a terminal interprets, for example as `\x1b` or `\u202e`. Task files, agents, pages, and
 * commands control the content of such texts.
 */
export function escapeControls(text: string): string {
  return text.replace(UNSAFE, (character) => {
    const hex = character.charCodeAt(0).toString(16);
    return SHORT[character] ?? (hex.length > 2 ? escapeForJson(character) : `\\x${hex.padStart(2, '0')}`);
  });
}

/** Like `escapeControls`, but keeps line feeds. */
export function escapeLines(text: string): string {
  return text.split(/\r?\n/).map(escapeControls).join('\n');
}

/** Escapes the same characters in JSON, with JSON escapes; keeps line feeds between values. */
export function escapeJsonControls(json: string): string {
  return json.replace(UNSAFE, (character) => (character === '\n' ? character : escapeForJson(character)));
}
