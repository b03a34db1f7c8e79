import { el, on, set } from './dom.ts';

export interface TabRow<T extends string> {
  readonly element: HTMLElement;
  readonly panel: HTMLElement;
  readonly buttons: Readonly<Record<T, HTMLButtonElement>>;
  /** Selects a tab and hides unavailable ones. */
  show(current: T, unavailable?: readonly T[]): void;
}

/** WAI-ARIA tabs with automatic activation: one tab stop, arrow keys select, Home and End select the first and last. */
export function tabRow<T extends string>(
  name: string,
  label: string,
  labels: Readonly<Record<T, string>>,
  panel: HTMLElement,
  choose: (tab: T) => void,
): TabRow<T> {
  const id = `panel-${name}`;
  const keys = Object.keys(labels) as T[];
  const buttons = Object.fromEntries(
    keys.map((key) => [
      key,
      el('button', { type: 'button', role: 'tab', class: 'tab', id: `${id}-${key}`, 'aria-controls': id }, labels[key]),
    ]),
  ) as Record<T, HTMLButtonElement>;
  const element = el(
    'div',
    { class: 'tabs', role: 'tablist', 'aria-label': label },
    ...keys.map((key) => buttons[key]),
  );
  set(panel, { role: 'tabpanel', id });
  for (const key of keys) on(buttons[key], 'click', () => choose(key));
  on(element, 'keydown', (event) => {
    const visible = keys.filter((key) => !buttons[key].hidden);
    const at = visible.findIndex((key) => buttons[key] === document.activeElement);
    const moves: Partial<Record<string, number>> = {
      ArrowLeft: (at - 1 + visible.length) % visible.length,
      ArrowRight: (at + 1) % visible.length,
      Home: 0,
      End: visible.length - 1,
    };
    const to = visible[moves[event.key] ?? -1];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    choose(to);
    buttons[to].focus();
  });
  return {
    element,
    panel,
    buttons,
    show(current, unavailable = []) {
      for (const key of keys) {
        set(buttons[key], { 'aria-selected': String(key === current), tabindex: key === current ? 0 : -1 });
        buttons[key].hidden = unavailable.includes(key);
      }
      set(panel, { 'aria-labelledby': `${id}-${current}` });
    },
  };
}
