import type { Rules } from './rule.ts';

const solution = (text: string) => ({ file: 'buy.actions', text });

/** What is wrong with the actions of a solution. */
export const solutionRules: Rules = {
  'no-action': {
    title: 'A line that is no action',
    severity: 'error',
    why: 'Each line of a solution is an action string or an action as JSON. In this one no call can be read, so the step would fail; a line of broken JSON keeps the whole file from being played back.',
    mend: 'Write a call with its arguments in quotes, or begin the line with `#` where it is a comment.',
    bad: solution("click('#buy'\n"),
    good: solution("# Buy it.\nclick('#buy')\n"),
  },
  'unknown-action': {
    title: 'No action of this name',
    severity: 'error',
    why: 'The name is neither one of BrowserGym’s functions nor one of Taskwright’s, so none of the actions in the line would be done.',
    mend: 'Take the name that is offered; the list comes up while a line is begun.',
    bad: solution("fil('#name', 'Ada')\n"),
    good: solution("fill('#name', 'Ada')\n"),
  },
  'invalid-action': {
    title: 'An action whose arguments do not fit',
    severity: 'error',
    why: 'An argument is missing, too much, or of another kind than the action takes, so the step would fail. Arguments are Python’s literals.',
    mend: 'Give the arguments that the action takes; pointing at its name shows them.',
    bad: solution("fill('#name')\n"),
    good: solution("fill('#name', 'Ada')\n"),
  },
  'ignored-field': {
    title: 'A field that the action does not have',
    severity: 'warning',
    why: 'HUD 0.2.10 drops fields that an action does not have, and so is it here: a misspelt field changes nothing, and a click by "selector", which only HUD 0.2.0 knew, is a click where the mouse is.',
    mend: 'Take the field that is offered, or write an action string, in which an element can be named.',
    bad: solution('{"type": "click", "selector": "#buy"}\n'),
    good: solution('click("#buy")\n'),
  },
};
