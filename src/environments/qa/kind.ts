import { BROWSER_IMAGE, type Kind } from '../kind.ts';

/** A question that the agent answers. */
export const qa: Kind = {
  name: 'qa',
  types: {
    qa: {
      doc: 'A question that the agent answers with text; the first response counts. This version runs it.',
      written: 'name',
      common: true,
    },
  },
  provides: [],
  calls: 'functions',
  checks: [
    { function: 'response_includes', args: ['the answer'] },
    { function: 'response_is', args: ['the answer'] },
    { function: 'response_match', args: ['(?i)the answer'] },
  ],
  responseEnds: true,
  view: { icon: 'speech', shows: 'text', surface: 'question' },
  rescoring: 'response',
  needsBrowser: false,
  reusesProcess: true,
  image: BROWSER_IMAGE,
};
