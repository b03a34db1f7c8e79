import * as l10n from '@vscode/l10n';
import { el, setText } from './dom.ts';
import { icon } from './icons.ts';
import { textButton } from './toolkit.ts';
import type { Tools, View } from './view.ts';
import { isRunning } from './words.ts';

/** The bar of a run that waits for an external agent: where it connects, and what to copy for it. */
export function waitingBar({ host }: Tools): View {
  const address = el('code', { class: 'waiting-address' });
  const button = (
    label: string,
    title: string,
    what: 'address' | 'token' | 'configuration',
    primary = false,
  ): HTMLElement => textButton(label, title, () => host.post({ type: 'copyForAgent', what }), primary);
  const element = el(
    'div',
    { class: 'waiting-bar', role: 'group', 'aria-label': l10n.t('External agent'), hidden: true },
    el(
      'p',
      { class: 'waiting-words' },
      el('span', { class: 'waiting-sign' }, icon('clock')),
      el('strong', {}, l10n.t('Connect an agent to this MCP server')),
      el('span', { class: 'dim' }, l10n.t('The run continues with its actions.')),
    ),
    address,
    el(
      'span',
      { class: 'waiting-buttons' },
      button(
        l10n.t('Copy Configuration'),
        l10n.t('Copy the address and the token as the configuration of an MCP client'),
        'configuration',
        true,
      ),
      button(l10n.t('Copy Address'), l10n.t('Copy the address of the MCP server'), 'address'),
      button(l10n.t('Copy Token'), l10n.t('Copy the token, for the header “Authorization: Bearer …”'), 'token'),
    ),
  );
  return {
    element,
    update({ run }) {
      const waitingAt = run !== null && isRunning(run) ? run.waitingAt : null;
      element.hidden = waitingAt === null;
      if (waitingAt !== null) setText(address, waitingAt);
    },
  };
}
