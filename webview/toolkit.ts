// The only file that knows the toolkit. Its parts are imported one by one, since its index drags every control in. Only
// the button: the templates of its badge and its progress ring set inline styles, which the content policy forbids.
import { vsCodeButton } from '@vscode/webview-ui-toolkit/dist/button/index.js';
import { provideVSCodeDesignSystem } from '@vscode/webview-ui-toolkit/dist/vscode-design-system.js';
import { set } from './dom.ts';
import { type IconName, icon } from './icons.ts';

export function registerToolkit(): void {
  provideVSCodeDesignSystem().register(vsCodeButton());
}

/** A button with an icon alone; `label` is its tooltip and its name for screen readers. */
export function iconButton(name: IconName, label: string, press: () => void): HTMLElement {
  const button = document.createElement('vscode-button');
  set(button, { appearance: 'icon', title: label, 'aria-label': label });
  button.append(icon(name));
  button.addEventListener('click', press);
  return button;
}

/** A button with words; `title` is its tooltip. */
export function textButton(label: string, title: string, press: () => void, primary = false): HTMLElement {
  const button = document.createElement('vscode-button');
  set(button, { appearance: primary ? 'primary' : 'secondary', title });
  button.append(label);
  button.addEventListener('click', press);
  return button;
}

/** Gives an icon button another picture and name. */
export function dressIconButton(button: HTMLElement, name: IconName, label: string): void {
  if (button.title === label) return;
  set(button, { title: label, 'aria-label': label });
  button.replaceChildren(icon(name));
}
