import { uncommonKey } from '../../../actions/keys.ts';
import type { Tab } from '../pages/tab.ts';

/** The modifier bits of CDP's input events. */
const MODIFIERS: Readonly<Record<string, number>> = { Alt: 1, Control: 2, Meta: 4, Shift: 8 };

/**
 * Presses a key and holds it down. `key`: Playwright's name, or the DOM's name of a key that Playwright does not
 * support.
 */
export async function keyDown(tab: Tab, key: string): Promise<void> {
  const rare = uncommonKey(key);
  if (rare) await send(tab, 'rawKeyDown', rare);
  else await tab.page.keyboard.down(key);
  tab.heldKeys.add(key);
}

export async function keyUp(tab: Tab, key: string): Promise<void> {
  tab.heldKeys.delete(key);
  const rare = uncommonKey(key);
  if (rare) await send(tab, 'keyUp', rare);
  else await tab.page.keyboard.up(key);
}

export async function keyPress(tab: Tab, key: string): Promise<void> {
  if (!uncommonKey(key)) return tab.page.keyboard.press(key);
  await keyDown(tab, key);
  await keyUp(tab, key);
}

async function send(
  tab: Tab,
  type: 'rawKeyDown' | 'keyUp',
  { key, code, keyCode }: NonNullable<ReturnType<typeof uncommonKey>>,
): Promise<void> {
  let modifiers = 0;
  for (const heldKey of tab.heldKeys) modifiers |= MODIFIERS[heldKey.replace(/(?:Left|Right)$/, '')] ?? 0;
  await tab.cdp.send('Input.dispatchKeyEvent', { type, key, code, windowsVirtualKeyCode: keyCode, modifiers });
  // A key with a single character as its name types this character.
  if (type === 'rawKeyDown' && key.length === 1)
    await tab.cdp.send('Input.dispatchKeyEvent', { type: 'char', key, text: key, modifiers });
}
