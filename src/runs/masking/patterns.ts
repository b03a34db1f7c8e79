/*
 * Regular expressions for the forms that a secret has in texts: plain, in URLs and form data, in JSON (also in a text that is
 * JSON again), action strings, HTML, Base64, and truncated.
 */

/** Shorter secrets are masked only as whole words, because they may be part of any word. */
const MIN_PARTIAL_LENGTH = 4;
/** In Base64, shorter secrets have too few characters of their own. In bytes. */
const MIN_BASE64_LENGTH = 6;
/** Lengths at which texts are truncated for messages, which truncates secrets, too. */
const CUTS = [59, 79, 199];
/** The letter before a whole word may be the end of an escape: `\npw`, `%20pw`. */
const WORD_START = String.raw`(?:(?<![\p{L}\p{N}])|(?<=\\[bfnrt]|\\u[\da-fA-F]{4}|\\x[\da-fA-F]{2}|%[\da-fA-F]{2}))`;
const WORD_END = String.raw`(?![\p{L}\p{N}])`;
/** Each time that a text is quoted, its escapes are escaped again. Limited, so that long rows of backslashes cost no time. */
const ESCAPES = String.raw`\\{1,8}`;
const LETTERS = new Map(Object.entries({ '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't' }));
const ENTITIES = new Map(Object.entries({ '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos', ' ': 'nbsp' }));

/** A regular expression for one form of a secret, with the flag `u`. */
export interface Form {
  readonly pattern: string;
  /** Number of characters of the secret that it finds. */
  readonly length: number;
}

/** All forms of a secret in texts. */
export function formsOf(secret: string): readonly Form[] {
  const singleSpaced = secret.replace(/\s+/g, ' ').trim();
  const lines = secret.split(/\r?\n/).filter((line) => line.trim().length >= 8);
  const cut = CUTS.flatMap((length) => (singleSpaced.length > length ? [singleSpaced.slice(0, length)] : []));
  const texts = [...new Set([secret, singleSpaced, ...lines, ...cut])].filter((text) => text !== '');
  return [...texts.map(exactForm), ...base64Patterns(secret).map((pattern) => ({ pattern, length: secret.length }))];
}

/** A text as each notation escapes it. */
export function exactForm(text: string): Form {
  return { pattern: wordPattern(text, [...text].map(escapable).join('')), length: text.length };
}

/** A text that has no other forms. */
export function plainForm(text: string): Form {
  return { pattern: wordPattern(text, literal(text)), length: text.length };
}

function wordPattern(text: string, pattern: string): string {
  return [...text].length >= MIN_PARTIAL_LENGTH ? pattern : `${WORD_START}${pattern}${WORD_END}`;
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** A character as it is and as each notation escapes it. No notation has to escape letters and digits of ASCII. */
function escapable(character: string): string {
  if (/[A-Za-z0-9]/.test(character)) return character;
  const code = character.codePointAt(0) ?? 0;
  const entity = ENTITIES.get(character);
  const letter = LETTERS.get(character);
  const units = character.split('').map((unit) => `${ESCAPES}u${hex(unit.charCodeAt(0), 4)}`);
  const forms = [
    character === '\\' ? ESCAPES : /["'`/]/.test(character) ? `\\\\{0,8}${literal(character)}` : literal(character),
    percentEncoded(character),
    units.join(''),
    `${ESCAPES}U${hex(code, 8)}`,
    `&#(?:0*${code}|[xX]0*${hex(code, 0)});`,
    ...(code <= 0xff ? [`${ESCAPES}x${hex(code, 2)}`] : []),
    ...(character === ' ' ? ['\\+', '\u00a0'] : []),
    ...(entity === undefined ? [] : [`&${entity};`]),
    ...(letter === undefined ? [] : [`${ESCAPES}${letter}`]),
  ];
  return `(?:${forms.join('|')})`;
}

function percentEncoded(character: string): string {
  // Buffers replace lone surrogates, as browsers do.
  return [...Buffer.from(character, 'utf8')].map((byte) => `%${hex(byte, 2)}`).join('');
}

/** Hexadecimal digits in both cases. */
function hex(number: number, digits: number): string {
  const text = number.toString(16).padStart(digits, '0');
  return text.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

/**
 * The secret in Base64, alone or in a longer text such as `user:password`: at each of the three positions that its first byte
 * can have. The characters at its ends may have bits of what is next to it.
 */
function base64Patterns(secret: string): readonly string[] {
  const bytes = Buffer.from(secret, 'utf8');
  if (bytes.length < MIN_BASE64_LENGTH) return [];
  return [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replaceAll('=', '');
    const start = Math.ceil((before * 8) / 6);
    const end = Math.floor(((before + bytes.length) * 8) / 6);
    const own = text.slice(start, end).replaceAll('+', '[+\\-]').replaceAll('/', '[/_]');
    const neighbor = '[A-Za-z0-9+/_\\-]';
    return `${before === 0 ? '' : neighbor}${own}${end === text.length ? '' : neighbor}`;
  });
}
