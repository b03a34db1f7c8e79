// The only file that uses the toolkit. It imports the button alone, because the index contains every control, and the
// templates of badge and progress ring set inline styles, which the content security policy forbids.
import { vsCodeButton } from '@vscode/webview-ui-toolkit/dist/button/index.js';
import { provideVSCodeDesignSystem } from '@vscode/webview-ui-toolkit/dist/vscode-design-system.js';
import { set } from './dom.ts';
import { type IconName, icon } from './icons.ts';

export function registerToolkit(): void {
  provideVSCodeDesignSystem().register(vsCodeButton());
}

/** A button with only an icon. `label` is its tooltip and accessible name. */
export function iconButton(name: IconName, label: string, press: () => void): HTMLElement {
  const button = document.createElement('vscode-button');
  set(button, { appearance: 'icon', title: label, 'aria-label': label });
  button.append(icon(name));
  button.addEventListener('click', press);
  return button;
}

/** A button with a text. `title` is its tooltip. */
export function textButton(label: string, title: string, press: () => void, primary = false): HTMLElement {
  const button = document.createElement('vscode-button');
  set(button, { appearance: primary ? 'primary' : 'secondary', title });
  button.append(label);
  button.addEventListener('click', press);
  return button;
}

/** Changes the icon and label of an icon button. */
export function dressIconButton(button: HTMLElement, name: IconName, label: string): void {
  if (button.title === label) return;
  set(button, { title: label, 'aria-label': label });
  button.replaceChildren(icon(name));
}
