import type { Rules } from './rule.ts';

const solution = (text: string) => ({ file: 'buy.actions', text });

/** Rules for the actions of a solution. */
export const solutionRules = {
  'no-action': {
    title: 'Line that is not an action',
    severity: 'error',
    why: 'Each line of a solution is an action string or an action as JSON. This line contains no call, so the step would fail. Invalid JSON on any line prevents the replay of the whole file.',
    fix: 'Write a call with quoted arguments, or start the line with `#` to make it a comment.',
    bad: solution("click('#buy'\n"),
    good: solution("# Buy it.\nclick('#buy')\n"),
  },
  'unknown-action': {
    title: 'Unknown action',
    severity: 'error',
    why: 'The name is neither an action of BrowserGym nor one of Taskwright, so none of the actions on this line would run.',
    fix: 'Use the suggested name. Completion lists all actions at the start of a line.',
    bad: solution("fil('#name', 'Ada')\n"),
    good: solution("fill('#name', 'Ada')\n"),
  },
  'invalid-action': {
    title: 'Invalid action arguments',
    severity: 'error',
    why: 'An argument is missing, superfluous, or of the wrong type, so the step would fail. Arguments are Python literals.',
    fix: 'Pass the arguments that the action accepts. Hover over its name to see them.',
    bad: solution("fill('#name')\n"),
    good: solution("fill('#name', 'Ada')\n"),
  },
  'ignored-field': {
    title: 'Field that the action does not have',
    severity: 'warning',
    why: 'HUD 0.2.10 and Taskwright ignore fields that an action does not have. A misspelled field has no effect, and a click with a "selector", which only HUD 0.2.0 supported, clicks at the current mouse position.',
    fix: 'Use the suggested field, or write an action string, which can name an element.',
    bad: solution('{"type": "click", "selector": "#buy"}\n'),
    good: solution('click("#buy")\n'),
  },
} satisfies Rules;
