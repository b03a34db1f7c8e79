import type { NormalAction } from '../../../actions/normal.ts';
import { list, quote } from '../../../functions/words.ts';
import type { Task } from '../../../tasks/task.ts';
import { TASK_ORIGIN } from '../pages/page-files.ts';
import { isSecretField } from '../secret-field.ts';
import type { ActionOutcome } from './action-context.ts';
import { ActionError } from './failures.ts';

/** Actions whose text a page receives. */
const TYPING: ReadonlySet<NormalAction['type']> = new Set(['type', 'insert', 'fill', 'handle_dialog']);

const PLACEHOLDER = /<secret>([^<]*)<\/secret>/g;

/**
 * Replaces placeholders in an action: `<secret>password</secret>` in typed text becomes the value of `password` in the
 * task's `sensitive_data`, on the sites that it is for. Throws `ActionError` for unknown placeholders.
 */
export function revealSecrets(action: NormalAction, sensitive: Task['sensitive_data'], url: string): NormalAction {
  if (!TYPING.has(action.type) || !('text' in action) || action.text === null) return action;
  if (!action.text.includes('<secret>') || Object.keys(sensitive).length === 0) return action;
  const secrets = new Map<string, string>();
  for (const [site, values] of Object.entries(sensitive)) {
    if (isAt(site, url)) for (const [name, value] of Object.entries(values)) secrets.set(name, value);
  }
  const text = action.text.replace(PLACEHOLDER, (_, name: string) => {
    const value = secrets.get(name);
    if (value !== undefined) return value;
    const there = [...secrets.keys()].map(quote);
    throw new ActionError(
      'unknown_secret',
      `the task has no sensitive data ${quote(name)} for this site; it has ${list(there) || 'none'}`,
    );
  });
  return { ...action, text };
}

/**
 * Whether a URL belongs to a site of `sensitive_data`: a host (`shop.example`, including its subdomains),
 * `*.shop.example`, either with an optional scheme and port, or `*`. The task's own pages belong to every site.
 */
function isAt(site: string, url: string): boolean {
  if (site === '*' || url.startsWith(`${TASK_ORIGIN}/`)) return true;
  if (!URL.canParse(url)) return false;
  const { protocol, hostname, port } = new URL(url);
  const [, scheme, name = '', sitePort] = /^(?:([a-z*]+):\/\/)?(?:\*\.)?([^/:]+)(?::(\d+))?/i.exec(site.trim()) ?? [];
  const host = name.toLowerCase();
  const isHost = host !== '' && (hostname === host || hostname.endsWith(`.${host}`));
  const isScheme = scheme === undefined || scheme.includes('*') || `${scheme.toLowerCase()}:` === protocol;
  return isHost && isScheme && (sitePort === undefined || sitePort === port);
}

/** The text that an action typed into a password field, and the field's value; empty for other fields. */
export function typedSecrets(action: NormalAction, { elementRecord, value }: ActionOutcome): readonly string[] {
  const field = elementRecord?.facts.chain[0];
  if (field === undefined || !isSecretField(field.tag, field.attributes)) return [];
  return [...textsOf(action), value ?? ''].filter((text) => text !== '');
}

function textsOf(action: NormalAction): readonly string[] {
  if (action.type === 'type' || action.type === 'insert' || action.type === 'fill') return [action.text];
  // Named keys, such as Enter, are not secret.
  return action.type === 'press' || action.type === 'key' ? action.keys.filter((key) => [...key].length === 1) : [];
}
