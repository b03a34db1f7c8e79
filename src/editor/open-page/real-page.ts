import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as l10n from '@vscode/l10n';
import { resolveAddress } from '../../environments/browser/pages/addresses.ts';
import { pagePath } from '../../environments/browser/pages/page-address.ts';
import { PageFiles, TASK_ORIGIN, whyWithheld } from '../../environments/browser/pages/page-files.ts';
import type { Task } from '../../tasks/task.ts';

/** What the user's browser can open for a page, or why it cannot. */
export type RealPage =
  | { readonly url: string }
  /** Absolute path of a page file next to the task. */
  | { readonly file: string }
  | { readonly reason: string };

/** A page by its URL in the run's browser. */
export function realPage(url: string | null, task: Pick<Task, 'file'>): RealPage {
  if (url === null || url === '' || /^about:/i.test(url)) return { reason: l10n.t('There is no page to open yet.') };
  if (!URL.canParse(url)) return { reason: l10n.t('{0} is not a valid URL.', url) };
  const parsed = new URL(url);
  if (parsed.origin === TASK_ORIGIN) return ownPage(parsed.pathname, task.file);
  if (!/^https?:$/.test(parsed.protocol)) return { reason: l10n.t('{0} exists only in the browser of the run.', url) };
  if (parsed.hostname.endsWith('.localhost') && parsed.port === '')
    return { reason: l10n.t('The pages of {0} exist only in the browser of the run.', parsed.hostname) };
  return { url: parsed.href };
}

/** The address of the page that a task begins with; null if the task does not say it. */
export function startAddress(task: Pick<Task, 'initial_state' | 'setup'>): string | null {
  const [requested] = task.setup.find((call) => call.function === 'goto')?.args ?? [];
  const address = typeof requested === 'string' ? requested : task.initial_state.start_url;
  return address === undefined || address.trim() === '' ? null : address;
}

/** The start page of a task, if the task specifies one. */
export async function startPage(task: Pick<Task, 'file' | 'initial_state' | 'setup'>): Promise<RealPage> {
  const address = startAddress(task);
  if (address === null) {
    return { reason: l10n.t('This task has no start page. Run it, then open its current page.') };
  }
  const resolved = await resolveAddress(address, new PageFiles({ folder: dirname(task.file) }));
  return 'url' in resolved ? realPage(resolved.url, task) : { reason: `${resolved.refusal}.` };
}

function ownPage(pathname: string, taskFile: string): RealPage {
  const named = pagePath(pathname);
  if ('refusal' in named) return { reason: l10n.t('Cannot open {0}: {1}.', pathname, named.refusal) };
  const file = join(dirname(taskFile), named.path);
  if (whyWithheld(named.path) !== null || !existsSync(file)) {
    return {
      reason: l10n.t('The file {0} does not exist. The page exists only in the browser of the run.', named.path),
    };
  }
  return { file };
}
