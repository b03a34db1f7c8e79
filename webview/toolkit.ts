// The only file that knows the toolkit. It is imported part by part: its index drags every control in.
import { vsCodeBadge } from '@vscode/webview-ui-toolkit/dist/badge/index.js';
import { vsCodeButton } from '@vscode/webview-ui-toolkit/dist/button/index.js';
import { vsCodeProgressRing } from '@vscode/webview-ui-toolkit/dist/progress-ring/index.js';
import { provideVSCodeDesignSystem } from '@vscode/webview-ui-toolkit/dist/vscode-design-system.js';
import { set } from './dom.ts';
import { type IconName, icon } from './icons.ts';

export function registerToolkit(): void {
  provideVSCodeDesignSystem().register(vsCodeButton(), vsCodeBadge(), vsCodeProgressRing());
}

/** A button with an icon alone; `label` is its tooltip and its name for screen readers. */
export function iconButton(name: IconName, label: string, press: () => void): HTMLElement {
  const button = document.createElement('vscode-button');
  set(button, { appearance: 'icon', title: label, 'aria-label': label });
  button.append(icon(name));
  button.addEventListener('click', press);
  return button;
}

/** Gives an icon button another picture and name. */
export function dressIconButton(button: HTMLElement, name: IconName, label: string): void {
  if (button.title === label) return;
  set(button, { title: label, 'aria-label': label });
  button.replaceChildren(icon(name));
}

export function countBadge(): HTMLElement {
  return document.createElement('vscode-badge');
}

/** Something is going on. Hidden from screen readers: words beside it say what. */
export function progressRing(): HTMLElement {
  const ring = document.createElement('vscode-progress-ring');
  const quiet = document.createElement('span');
  set(quiet, { class: 'ring', 'aria-hidden': 'true' });
  quiet.append(ring);
  return quiet;
}
