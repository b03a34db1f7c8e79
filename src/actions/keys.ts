/** CLA key names of HUD 0.2.10 that have another name in Playwright. */
const RENAMED: Readonly<Record<string, string>> = {
  backspace: 'Backspace',
  tab: 'Tab',
  enter: 'Enter',
  shift: 'Shift',
  shiftleft: 'ShiftLeft',
  shiftright: 'ShiftRight',
  ctrl: 'Control',
  ctrlleft: 'ControlLeft',
  ctrlright: 'ControlRight',
  alt: 'Alt',
  altleft: 'AltLeft',
  altright: 'AltRight',
  pause: 'Pause',
  capslock: 'CapsLock',
  esc: 'Escape',
  escape: 'Escape',
  space: 'Space',
  pageup: 'PageUp',
  pagedown: 'PageDown',
  end: 'End',
  home: 'Home',
  left: 'ArrowLeft',
  up: 'ArrowUp',
  right: 'ArrowRight',
  down: 'ArrowDown',
  printscreen: 'PrintScreen',
  prtsc: 'PrintScreen',
  insert: 'Insert',
  delete: 'Delete',
  numlock: 'NumLock',
  scrolllock: 'ScrollLock',
  clear: 'Numpad5',
  modechange: 'AltGraph',
  apps: 'ContextMenu',
  playpause: 'MediaPlayPause',
  prevtrack: 'MediaTrackPrevious',
  nexttrack: 'MediaTrackNext',
  volumemute: 'AudioVolumeMute',
  volumeup: 'AudioVolumeUp',
  volumedown: 'AudioVolumeDown',
  win: 'Meta',
  winleft: 'MetaLeft',
  winright: 'MetaRight',
  command: 'Meta',
  option: 'Alt',
  optionleft: 'AltLeft',
  optionright: 'AltRight',
  multiply: 'NumpadMultiply',
  add: 'NumpadAdd',
  subtract: 'NumpadSubtract',
  decimal: 'NumpadDecimal',
  divide: 'NumpadDivide',
  '\t': 'Tab',
  '\n': 'Enter',
  '\r': 'Enter',
  ' ': 'Space',
};

/** A key that Playwright's keyboard lacks, as browsers receive it: DOM name and code, Windows key code. */
export interface UncommonKey {
  readonly key: string;
  readonly code: string;
  readonly keyCode: number;
}

const rare = (key: string, keyCode: number, code = key): UncommonKey => ({ key, code, keyCode });

/** CLA key names of HUD 0.2.10 that Playwright's keyboard lacks. */
const RARE: Readonly<Record<string, UncommonKey>> = {
  select: rare('Select', 41),
  print: rare('Print', 42),
  execute: rare('Execute', 43),
  help: rare('Help', 47),
  sleep: rare('Standby', 95, 'Sleep'),
  separator: rare('Separator', 108, 'NumpadComma'),
  browserback: rare('BrowserBack', 166),
  browserforward: rare('BrowserForward', 167),
  browserrefresh: rare('BrowserRefresh', 168),
  browserstop: rare('BrowserStop', 169),
  browsersearch: rare('BrowserSearch', 170),
  browserfavorites: rare('BrowserFavorites', 171),
  browserhome: rare('BrowserHome', 172),
  launchmail: rare('LaunchMail', 180),
  launchmediaselect: rare('LaunchMediaPlayer', 181, 'MediaSelect'),
  launchapp1: rare('LaunchApplication1', 182, 'LaunchApp1'),
  launchapp2: rare('LaunchApplication2', 183, 'LaunchApp2'),
  start: rare('MediaPlay', 250),
  stop: rare('MediaStop', 178),
  zoom: rare('ZoomToggle', 251),
  fn: rare('Fn', 255),
  hanguel: rare('HangulMode', 21, 'Lang1'),
  hangul: rare('HangulMode', 21, 'Lang1'),
  kana: rare('KanaMode', 21),
  junja: rare('JunjaMode', 23, 'Lang3'),
  hanja: rare('HanjaMode', 25, 'Lang2'),
  kanji: rare('KanjiMode', 25, 'Lang4'),
  convert: rare('Convert', 28),
  nonconvert: rare('NonConvert', 29),
  yen: rare('¥', 220, 'IntlYen'),
  // Playwright's keyboard ends at F12.
  ...Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [`f${index + 13}`, rare(`F${index + 13}`, 124 + index)]),
  ),
};

const RARE_BY_NAME: ReadonlyMap<string, UncommonKey> = new Map(Object.values(RARE).map((one) => [one.key, one]));

/** The description of a key that Playwright's keyboard lacks; undefined for other keys. */
export function uncommonKey(key: string): UncommonKey | undefined {
  return RARE_BY_NAME.get(key);
}

const PLAIN = [...'!"#$%&\'()*+,-./0123456789:;<=>?@[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~'];

/** Every key of HUD's `CLAKey` with its name in actions: Playwright's, else the DOM's. */
const KEYS: ReadonlyMap<string, string> = new Map([
  ...Object.entries(RENAMED),
  ...Array.from({ length: 10 }, (_, digit) => [`num${digit}`, `Numpad${digit}`] as const),
  ...Array.from({ length: 12 }, (_, index) => [`f${index + 1}`, `F${index + 1}`] as const),
  ...Object.entries(RARE).map(([name, { key }]) => [name, key] as const),
  ...PLAIN.map((char) => [char, char] as const),
]);

/** The 188 key names that CLA actions accept. */
export const CLA_KEYS: readonly string[] = [...KEYS.keys()];

/** The name of a CLA key in actions. */
export function keyName(key: string): string {
  return KEYS.get(key) ?? key;
}

const PLAIN_ROW = "abcdefghijklmnopqrstuvwxyz`1234567890-=[]\\;',./";
const SHIFTED_ROW = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ~!@#$%^&*()_+{}|:"<>?';

/**
 * The names of CLA keys that are pressed together. CLA has no uppercase: with Shift, a key means the character that it
 * then types, whereas Playwright would type the character in its name.
 */
export function keyNames(keys: readonly string[]): string[] {
  const hasShift = keys.some((key) => key.startsWith('shift'));
  return keys.map((key) => (hasShift && key.length === 1 && SHIFTED_ROW[PLAIN_ROW.indexOf(key)]) || keyName(key));
}

/** Splits a Playwright combination: `Control+a` → `['Control', 'a']`, `Control++` → `['Control', '+']`. */
export function splitCombination(combination: string): string[] {
  const keys: string[] = [];
  let key = '';
  for (const char of combination) {
    if (char === '+' && key !== '') {
      keys.push(key);
      key = '';
    } else key += char;
  }
  keys.push(key);
  return keys;
}
