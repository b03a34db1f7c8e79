import type { HeldKey } from '../../src/editor/panel/messages.ts';

/** As much of a keyboard event as is read here. */
export interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly altKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
  readonly isComposing: boolean;
  getModifierState(key: string): boolean;
}

/** The key that gives the keyboard back: no page uses it. */
export const LEAVE = 'Shift+Esc';

/** Keys that do nothing by themselves, and what a keyboard says while a character is being put together. */
const SILENT = new Set([
  ...['Shift', 'Control', 'Alt', 'AltGraph', 'Meta', 'CapsLock', 'NumLock', 'ScrollLock', 'Fn', 'FnLock', 'OS'],
  ...['Dead', 'Process', 'Unidentified', 'Compose', 'Hyper', 'Super', 'Symbol'],
]);

/**
 * What a key means while keys go to the page: it types (the field below takes it), pastes (so does the browser), leaves,
 * is a combination for the page in Playwright's names, or is nothing yet.
 */
export function resolveFunction(
  event: KeyPress,
  mac: boolean,
): 'types' | 'pastes' | 'leaves' | 'nothing' | { readonly keys: readonly string[] } {
  const { key, ctrlKey, altKey, metaKey, shiftKey } = event;
  if (event.isComposing) return 'types';
  if (key === 'Escape' && shiftKey && !ctrlKey && !altKey && !metaKey) return 'leaves';
  if (SILENT.has(key)) return key === 'Dead' || key === 'Process' || key === 'Compose' ? 'types' : 'nothing';
  const printable = [...key].length === 1;
  const command = mac ? metaKey : ctrlKey;
  // AltGr is Ctrl and Alt at once on Windows; on a Mac Alt makes characters.
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

/** The keys that are held while the mouse does something. */
export function heldKeys(event: Pick<KeyPress, 'ctrlKey' | 'altKey' | 'metaKey' | 'shiftKey'>): readonly HeldKey[] {
  return [
    ...(event.altKey ? (['Alt'] as const) : []),
    ...(event.ctrlKey ? (['Control'] as const) : []),
    ...(event.metaKey ? (['Meta'] as const) : []),
    ...(event.shiftKey ? (['Shift'] as const) : []),
  ];
}
