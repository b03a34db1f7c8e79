/** CLA key names of HUD 0.2.10 that Playwright calls differently. */
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

/** Valid in HUD, on no keyboard that a browser is given here. */
const UNSUPPORTED = [
  ...['select', 'print', 'execute', 'help', 'sleep', 'separator', 'start', 'stop', 'zoom', 'fn'],
  ...[
    'browserback',
    'browserfavorites',
    'browserforward',
    'browserhome',
    'browserrefresh',
    'browsersearch',
    'browserstop',
  ],
  ...['launchapp1', 'launchapp2', 'launchmail', 'launchmediaselect'],
  ...['hanguel', 'hangul', 'hanja', 'kana', 'kanji', 'junja', 'convert', 'nonconvert', 'yen'],
];

const PLAIN = [...'!"#$%&\'()*+,-./0123456789:;<=>?@[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~'];

/** Every key of HUD's `CLAKey`, with Playwright's name for it, or null where there is none. */
const KEYS: ReadonlyMap<string, string | null> = new Map([
  ...Object.entries(RENAMED),
  ...Array.from({ length: 10 }, (_, digit) => [`num${digit}`, `Numpad${digit}`] as const),
  // Playwright's keyboard ends at F12.
  ...Array.from({ length: 24 }, (_, index) => [`f${index + 1}`, index < 12 ? `F${index + 1}` : null] as const),
  ...UNSUPPORTED.map((name) => [name, null] as const),
  ...PLAIN.map((char) => [char, char] as const),
]);

/** The 188 names that a CLA action may give a key. */
export const CLA_KEYS: readonly string[] = [...KEYS.keys()];

/** Playwright's name of a CLA key; null where no browser can be given that key. */
export function playwrightKey(key: string): string | null {
  return KEYS.get(key) ?? null;
}

/** Splits Playwright's combination: `Control+a` → `['Control', 'a']`, `Control++` → `['Control', '+']`. */
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
