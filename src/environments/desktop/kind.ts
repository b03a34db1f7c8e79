import * as l10n from '@vscode/l10n';
import { list } from '../../functions/words.ts';
import type { Kind } from '../kind.ts';
import { readOsworld } from './osworld-config.ts';

/** A desktop with windows, mouse, and keyboard. */
export const desktop: Kind = {
  name: 'desktop',
  types: {
    'hud-ubuntu': {
      doc: 'A desktop with windows, mouse, and keyboard; in HUD 0.2.2 to 0.2.5 only.',
      written: 'name',
    },
    'OSWorld-Ubuntu': {
      doc: 'A desktop with windows, mouse, and keyboard. The steps of OSWorld’s `config` that this desktop supports are taken.',
      written: 'name',
    },
  },
  whyUnsupported({ config }) {
    const { missing } = readOsworld(config);
    return missing.length === 0
      ? null
      : `This version of Taskwright has a desktop for this task, but not what its "config" asks for: ${list(missing)}`;
  },
  provides: ['files', 'windows'],
  calls: 'functions',
  templates: [],
  suggestedCalls: [
    { function: 'window_exists', args: ['title'] },
    { function: 'file_contains', args: ['Desktop/note.txt', 'text'] },
    { function: 'response_includes', args: ['the answer'] },
  ],
  tools: 'desktop',
  view: { icon: 'screen', shows: 'screenshot', keyboardTarget: l10n.t('Keyboard goes to the desktop') },
  rescoring: 'partial',
  reusesProcess: true,
  image: { name: 'desktop', startsBrowser: false, agentCommands: true },
};
