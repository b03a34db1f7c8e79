import * as l10n from '@vscode/l10n';
import { browser } from '../../environments/browser/kind.ts';
import type { SuggestedCall } from '../../environments/kind.ts';
import { qa } from '../../environments/qa/kind.ts';
import type { Path } from '../../tasks/path.ts';
import type { Json } from '../../tasks/task.ts';

/** A kind of new task. */
export interface TaskTemplate {
  readonly kind: 'page' | 'site' | 'qa';
  /** Label for the user. */
  readonly label: string;
  readonly detail: string;
  readonly gym: string;
  /** Possible evaluate calls, the most likely first, with placeholder arguments. */
  readonly evaluate: readonly SuggestedCall[];
}

/** The kinds that this version runs. */
export const TASK_TEMPLATES: readonly TaskTemplate[] = [
  {
    kind: 'page',
    label: l10n.t('HTML page'),
    detail: l10n.t('The agent uses a browser on an HTML file next to the task'),
    gym: 'hud-browser',
    evaluate: browser.checks,
  },
  {
    kind: 'site',
    label: l10n.t('Website'),
    detail: l10n.t('The agent uses a browser that opens an address'),
    gym: 'hud-browser',
    evaluate: browser.checks,
  },
  {
    kind: 'qa',
    label: l10n.t('Question'),
    detail: l10n.t('The agent answers in text, without a page'),
    gym: 'qa',
    evaluate: qa.checks,
  },
];

/** The properties of a new task. */
export interface NewTask {
  readonly beginning: TaskTemplate;
  readonly id: string;
  readonly prompt: string;
  /** The page file beside the task, or the address; unused for a question. */
  readonly start: string;
  readonly check: SuggestedCall;
}

/** The task as a value for a file of any format. */
export function newTask({ beginning, id, prompt, start, check }: NewTask): Json {
  return {
    id,
    prompt,
    gym: beginning.gym,
    ...(beginning.kind === 'qa' ? {} : { setup: [{ function: 'goto', args: [start] }] }),
    evaluate: [{ function: check.function, args: check.args }],
  };
}

/** The text to select in a new task: its first placeholder argument. */
export const PROMPT_PLACEHOLDER: Path = ['evaluate', 0, 'args', 0];

/** Returns what is wrong with an id that the user types; undefined if it is valid. */
export function idProblem(id: string, taken: ReadonlySet<string>): string | undefined {
  if (id === '') return 'Enter a unique ID';
  if (id !== id.trim()) return 'The ID cannot begin or end with a space';
  // The id is the name of the solution file and follows the last # of an address.
  const odd = /[/\\:*?"<>|#]|\p{Cc}/u.exec(id)?.[0];
  if (odd !== undefined)
    return `“${odd}” is not allowed in an ID, because the ID is also the name of the solution file`;
  if (id.startsWith('.')) return 'The ID cannot begin with a dot';
  if (/^\d+$/.test(id)) return 'A number refers to the index of a task. Add a word';
  if (id.length > 100) return 'The ID cannot have more than 100 characters';
  return taken.has(id) ? `The ID “${id}” already exists` : undefined;
}

/** The content of a new page. */
export function newPage(title: string): string {
  const text = title.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>${text}</title>
<h1>${text}</h1>
<button id="finish">Finish</button>
<p id="done" hidden>Thank you</p>
<script>
  document.querySelector('#finish').addEventListener('click', () => {
    document.querySelector('#done').hidden = false;
  });
</script>
</html>
`;
}
