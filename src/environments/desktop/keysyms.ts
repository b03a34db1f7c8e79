/** An unknown key name, or a character that no key can type. */
export class UnknownKey extends Error {}

/** The X keysyms (keysymdef.h, XF86keysym.h) of keys that type no character, by their names in actions. */
const NAMED: Readonly<Record<string, number>> = {
  Backspace: 0xff08,
  Tab: 0xff09,
  Enter: 0xff0d,
  NumpadEnter: 0xff8d,
  Pause: 0xff13,
  ScrollLock: 0xff14,
  Escape: 0xff1b,
  KanjiMode: 0xff21,
  NonConvert: 0xff22,
  Convert: 0xff23,
  KanaMode: 0xff2d,
  HangulMode: 0xff31,
  HanjaMode: 0xff34,
  JunjaMode: 0xff38,
  Home: 0xff50,
  ArrowLeft: 0xff51,
  ArrowUp: 0xff52,
  ArrowRight: 0xff53,
  ArrowDown: 0xff54,
  PageUp: 0xff55,
  PageDown: 0xff56,
  End: 0xff57,
  Select: 0xff60,
  Print: 0xff61,
  PrintScreen: 0xff61,
  Execute: 0xff62,
  Insert: 0xff63,
  ContextMenu: 0xff67,
  Help: 0xff6a,
  NumLock: 0xff7f,
  NumpadMultiply: 0xffaa,
  NumpadAdd: 0xffab,
  Separator: 0xffac,
  NumpadSubtract: 0xffad,
  NumpadDecimal: 0xffae,
  NumpadDivide: 0xffaf,
  Shift: 0xffe1,
  ShiftLeft: 0xffe1,
  ShiftRight: 0xffe2,
  Control: 0xffe3,
  ControlLeft: 0xffe3,
  ControlOrMeta: 0xffe3,
  ControlRight: 0xffe4,
  CapsLock: 0xffe5,
  Alt: 0xffe9,
  AltLeft: 0xffe9,
  AltRight: 0xffea,
  Meta: 0xffeb,
  MetaLeft: 0xffeb,
  MetaRight: 0xffec,
  AltGraph: 0xfe03,
  Delete: 0xffff,
  Space: 0x20,
  AudioVolumeDown: 0x1008ff11,
  AudioVolumeMute: 0x1008ff12,
  AudioVolumeUp: 0x1008ff13,
  MediaPlay: 0x1008ff14,
  MediaPlayPause: 0x1008ff14,
  MediaStop: 0x1008ff15,
  MediaTrackPrevious: 0x1008ff16,
  MediaTrackNext: 0x1008ff17,
  BrowserHome: 0x1008ff18,
  LaunchMail: 0x1008ff19,
  BrowserSearch: 0x1008ff1b,
  LaunchApplication2: 0x1008ff1d,
  BrowserBack: 0x1008ff26,
  BrowserForward: 0x1008ff27,
  BrowserStop: 0x1008ff28,
  BrowserRefresh: 0x1008ff29,
  Standby: 0x1008ff2f,
  BrowserFavorites: 0x1008ff30,
  LaunchMediaPlayer: 0x1008ff32,
  LaunchApplication1: 0x1008ff33,
  ZoomToggle: 0x1008ff8b,
  Fn: 0x100811d0,
};

/** Playwright's names of keys by position. */
const PLACES: Readonly<Record<string, string>> = {
  Backquote: '`',
  Minus: '-',
  Equal: '=',
  BracketLeft: '[',
  BracketRight: ']',
  Backslash: '\\',
  Semicolon: ';',
  Quote: "'",
  Comma: ',',
  Period: '.',
  Slash: '/',
};

/** The keysym of a key by its name in actions: Playwright's name, the DOM's name, or the character that it types. */
export function keysymOf(key: string): number | null {
  if ([...key].length === 1) return keysymOfCharacter(key);
  if (Object.hasOwn(NAMED, key)) return NAMED[key] ?? null;
  const [, kind, digits] = /^(F|Numpad)(\d{1,2})$/.exec(key) ?? [];
  const number = Number(digits);
  if (kind === 'F') return number >= 1 && number <= 24 ? 0xffbe + number - 1 : null;
  if (kind === 'Numpad') return number <= 9 ? 0xffb0 + number : null;
  const letter = /^(?:Key([A-Z])|Digit(\d))$/.exec(key);
  if (letter !== null) return keysymOfCharacter((letter[1] ?? letter[2] ?? '').toLowerCase());
  return Object.hasOwn(PLACES, key) ? keysymOfCharacter(PLACES[key] ?? '') : null;
}

/** The keysyms of keys by their names in actions. Throws `UnknownKey`. */
export function keysymsOfKeys(keys: readonly string[]): number[] {
  return keys.map((key) => {
    const keysym = keysymOf(key);
    if (keysym === null) throw new UnknownKey(`unknown key “${key}”`);
    return keysym;
  });
}

/** The keysyms of the characters of a text. Throws `UnknownKey`. */
export function keysymsOfText(text: string): number[] {
  return [...text.replaceAll('\r\n', '\n')].map((character) => {
    const keysym = keysymOfCharacter(character);
    if (keysym === null) throw new UnknownKey(`no key writes the character ${JSON.stringify(character)}`);
    return keysym;
  });
}

/** The keysym of a character; null if no key can type it. */
export function keysymOfCharacter(character: string): number | null {
  if (character === '\n' || character === '\r') return NAMED['Enter'] ?? null;
  if (character === '\t') return NAMED['Tab'] ?? null;
  if (character === '\b') return NAMED['Backspace'] ?? null;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0xd800 && code < 0xe000)) return null;
  // The keysym of a Latin 1 character is its code; others are Unicode with a flag (X11 protocol, appendix A).
  return code < 0x100 ? code : 0x1000000 + code;
}
