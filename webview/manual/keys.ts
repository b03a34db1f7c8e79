import type { HeldKey } from '../../src/presentation/runs/messages.ts';

/** The part of a keyboard event that is used here. */
export interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly altKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
  readonly isComposing: boolean;
  getModifierState(key: string): boolean;
}

/** Releases the keyboard. Pages do not use it. */
export const LEAVE = 'Shift+Esc';

/** Modifier keys, and key names during the composition of a character. */
const SILENT = new Set([
  ...['Shift', 'Control', 'Alt', 'AltGraph', 'Meta', 'CapsLock', 'NumLock', 'ScrollLock', 'Fn', 'FnLock', 'OS'],
  ...['Dead', 'Process', 'Unidentified', 'Compose', 'Hyper', 'Super', 'Symbol'],
]);

/**
 * The meaning of a key while the keyboard goes to the page: it types (the text field receives it), pastes (likewise),
 * leaves, is a combination for the page in Playwright's names, or is nothing yet.
 */
export function keyActionOf(
  event: KeyPress,
  mac: boolean,
): 'types' | 'pastes' | 'leaves' | 'nothing' | { readonly keys: readonly string[] } {
  const { key, ctrlKey, altKey, metaKey, shiftKey } = event;
  if (event.isComposing) return 'types';
  if (key === 'Escape' && shiftKey && !ctrlKey && !altKey && !metaKey) return 'leaves';
  if (SILENT.has(key)) return key === 'Dead' || key === 'Process' || key === 'Compose' ? 'types' : 'nothing';
  const printable = [...key].length === 1;
  const command = mac ? metaKey : ctrlKey;
  // On Windows AltGr is Ctrl+Alt; on macOS Alt types characters.
  const writes = event.getModifierState('AltGraph') || (mac && altKey && !metaKey && !ctrlKey);
  if (printable && (writes || !(ctrlKey || altKey || metaKey))) return 'types';
  if (command && !altKey && !shiftKey && key.toLowerCase() === 'v') return 'pastes';
  return {
    keys: [
      ...(command ? ['ControlOrMeta'] : []),
      ...(mac && ctrlKey ? ['Control'] : []),
      ...(!mac && metaKey ? ['Meta'] : []),
      ...(altKey ? ['Alt'] : []),
      ...(shiftKey ? ['Shift'] : []),
      key === ' ' ? 'Space' : printable ? key.toLowerCase() : key,
    ],
  };
}

/** The modifier keys held during a mouse event. */
export function heldKeys(event: Pick<KeyPress, 'ctrlKey' | 'altKey' | 'metaKey' | 'shiftKey'>): readonly HeldKey[] {
  return [
    ...(event.altKey ? (['Alt'] as const) : []),
    ...(event.ctrlKey ? (['Control'] as const) : []),
    ...(event.metaKey ? (['Meta'] as const) : []),
    ...(event.shiftKey ? (['Shift'] as const) : []),
  ];
}
