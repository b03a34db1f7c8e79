import * as l10n from '@vscode/l10n';
import type { Json } from '../../base/json.ts';
import type { Path } from '../../base/path.ts';
import { browser } from '../../environments/browser/kind.ts';
import type { SuggestedCall } from '../../environments/kind.ts';
import { qa } from '../../environments/qa/kind.ts';

/** A kind of new task. */
export interface TaskTemplate {
  readonly kind: 'page' | 'site' | 'qa' | 'template';
  /** Label for the user. */
  readonly label: string;
  readonly detail: string;
  /** The environment of the task: a type of `gym`, or what stands for it. */
  readonly environment: string;
  /** Possible evaluate calls, the most likely first, with placeholder arguments. Empty if the environment gives the reward. */
  readonly evaluate: readonly SuggestedCall[];
}

/** The kinds that this version runs. */
export const TASK_TEMPLATES: readonly TaskTemplate[] = [
  {
    kind: 'page',
    label: l10n.t('HTML page'),
    detail: l10n.t('The agent uses a browser on an HTML file next to the task'),
    environment: 'hud-browser',
    evaluate: browser.suggestedCalls,
  },
  {
    kind: 'site',
    label: l10n.t('Website'),
    detail: l10n.t('The agent uses a browser that opens an address'),
    environment: 'hud-browser',
    evaluate: browser.suggestedCalls,
  },
  {
    kind: 'qa',
    label: l10n.t('Question'),
    detail: l10n.t('The agent answers in text, without a page'),
    environment: 'qa',
    evaluate: qa.suggestedCalls,
  },
  {
    kind: 'template',
    label: l10n.t('HUD environment'),
    detail: l10n.t('A template in Python gives the prompt and the reward'),
    environment: 'HUD 0.6',
    evaluate: [],
  },
];

/** The properties of a new task. */
export interface NewTask {
  readonly beginning: TaskTemplate;
  readonly id: string;
  readonly prompt: string;
  /** The page file beside the task, or the address; unused otherwise. */
  readonly start: string;
  /** Null if the environment gives the reward. */
  readonly call: SuggestedCall | null;
}

/** The task as a value for a file of any format. */
export function newTask({ beginning, id, prompt, start, call }: NewTask): Json {
  if (call === null) return { env: NEW_ENVIRONMENT, id: 'count', args: { word: 'raspberry', letter: 'r' }, slug: id };
  return {
    id,
    prompt,
    gym: beginning.environment,
    ...(beginning.kind === 'qa' ? {} : { setup: [{ function: 'goto', args: [start] }] }),
    evaluate: [{ function: call.function, args: call.args }],
  };
}

/** The text to select in a new task: its first placeholder argument. */
export function placeholderOf({ call }: Pick<NewTask, 'call'>): Path {
  return call === null ? ['args', 'word'] : ['evaluate', 0, 'args', 0];
}

/** The name of the HUD environment for a new task. */
export const NEW_ENVIRONMENT = 'letter-count';

/** The code of a new HUD environment. */
export const NEW_ENVIRONMENT_CODE = `# An environment of HUD 0.6, which needs Python 3.11 or 3.12: pip install hud
from hud import Environment

env = Environment(name="${NEW_ENVIRONMENT}")


@env.template(description="How often a letter occurs in a word.")
async def count(word: str = "strawberry", letter: str = "r"):
    # The first value is the prompt. The answer of the agent comes back; without one it is None.
    answer = yield f"How often does the letter {letter} occur in {word}? Answer with a number."
    # The second value is the reward.
    yield 1.0 if str(word.count(letter)) in (answer or "") else 0.0
`;

/** Returns what is wrong with an id that the user types; undefined if it is valid. */
export function idProblem(id: string, otherIds: ReadonlySet<string>): string | undefined {
  if (id === '') return 'Enter a unique ID';
  if (id !== id.trim()) return 'The ID cannot begin or end with a space';
  // The id is the name of the solution file and follows the last # of an address.
  const odd = /[/\\:*?"<>|#]|\p{Cc}/u.exec(id)?.[0];
  if (odd !== undefined)
    return `“${odd}” is not allowed in an ID, because the ID is also the name of the solution file`;
  if (id.startsWith('.')) return 'The ID cannot begin with a dot';
  if (/^\d+$/.test(id)) return 'A number refers to the index of a task. Add a word';
  if (id.length > 100) return 'The ID cannot have more than 100 characters';
  return otherIds.has(id) ? `The ID “${id}” already exists` : undefined;
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
