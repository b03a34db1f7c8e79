import * as l10n from '@vscode/l10n';
import { placeholder } from '../../tasks/snippet.ts';
import { BROWSER_IMAGE, type Kind } from '../kind.ts';
import { qaProblems } from './problems.ts';

/** A question that the agent answers. */
export const qa: Kind = {
  name: 'qa',
  types: {
    qa: {
      doc: 'A question that the agent answers with text; the first response counts. This version runs it.',
      written: 'name',
      common: true,
      ordinary: true,
    },
  },
  problems: qaProblems,
  provides: [],
  calls: 'functions',
  templates: [
    {
      label: l10n.t('task with a question'),
      detail: 'qa',
      doc: l10n.t('A question that the agent answers with text.'),
      task: {
        id: placeholder('id'),
        prompt: placeholder('The question'),
        gym: 'qa',
        evaluate: ['response_includes', placeholder('answer')],
      },
    },
  ],
  suggestedCalls: [
    { function: 'response_includes', args: ['the answer'] },
    { function: 'response_is', args: ['the answer'] },
    { function: 'response_match', args: ['(?i)the answer'] },
  ],
  responseEnds: true,
  view: { icon: 'speech', shows: 'text', keyboardTarget: l10n.t('Keyboard goes to the question') },
  rescoring: 'response',
  hasDataTasks: true,
  reusesProcess: true,
  image: BROWSER_IMAGE,
};
