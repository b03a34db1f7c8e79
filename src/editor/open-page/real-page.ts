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
  const address = new URL(url);
  if (address.origin === TASK_ORIGIN) return ownPage(address.pathname, task.file);
  if (!/^https?:$/.test(address.protocol)) return { reason: l10n.t('{0} exists only in the browser of the run.', url) };
  if (address.hostname.endsWith('.localhost') && address.port === '')
    return { reason: l10n.t('The pages of {0} exist only in the browser of the run.', address.hostname) };
  return { url: address.href };
}

/** The address of the page that a task begins with; null if the task does not specify it. */
export function startAddress(task: Pick<Task, 'initial_state' | 'setup'>): string | null {
  const [argument] = task.setup.find((call) => call.function === 'goto')?.args ?? [];
  const address = typeof argument === 'string' ? argument : task.initial_state.start_url;
  return address === undefined || address.trim() === '' ? null : address;
}

/** The start page of a task, if the task specifies one. */
export async function startPage(task: Pick<Task, 'file' | 'initial_state' | 'setup'>): Promise<RealPage> {
  const address = startAddress(task);
  if (address === null) {
    return { reason: l10n.t('This task has no start page. Run it, then open its current page.') };
  }
  const resolution = await resolveAddress(address, new PageFiles({ folder: dirname(task.file) }));
  return 'url' in resolution ? realPage(resolution.url, task) : { reason: `${resolution.refusal}.` };
}

function ownPage(pathname: string, taskFile: string): RealPage {
  const page = pagePath(pathname);
  if ('refusal' in page) return { reason: l10n.t('Cannot open {0}: {1}.', pathname, page.refusal) };
  const file = join(dirname(taskFile), page.path);
  if (whyWithheld(page.path) !== null || !existsSync(file)) {
    return {
      reason: l10n.t('The file {0} does not exist. The page exists only in the browser of the run.', page.path),
    };
  }
  return { file };
}
