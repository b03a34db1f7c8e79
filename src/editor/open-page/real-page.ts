import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { resolveAddress } from '../../environments/browser/pages/addresses.ts';
import { PageFiles, pagePath, secret, TASK_ORIGIN } from '../../environments/browser/pages/page-files.ts';
import type { Task } from '../../tasks/task.ts';

/** What a browser outside the run can open of a page, or why it cannot. */
export type RealPage =
  | { readonly url: string }
  /** Absolute path of a page file beside the task. */
  | { readonly file: string }
  | { readonly why: string };

/** A page by the address that it has in the run's browser. */
export function realPage(url: string | null, task: Pick<Task, 'file'>): RealPage {
  if (url === null || url === '' || /^about:/i.test(url)) return { why: 'There is no page yet that could be opened.' };
  if (!URL.canParse(url)) return { why: `${url} is no address that a browser can open.` };
  const parsed = new URL(url);
  if (parsed.origin === TASK_ORIGIN) return ownPage(parsed.pathname, task.file);
  if (!/^https?:$/.test(parsed.protocol)) return { why: `${url} exists only in the run's own browser.` };
  if (parsed.hostname.endsWith('.localhost') && parsed.port === '')
    return { why: `The pages of ${parsed.hostname} exist only in the run's own browser.` };
  return { url: parsed.href };
}

/** The page that a task begins with, as far as the task says it. */
export async function startPage(task: Pick<Task, 'file' | 'initial_state' | 'setup'>): Promise<RealPage> {
  const [wanted] = task.setup.find((call) => call.function === 'goto')?.args ?? [];
  const address = typeof wanted === 'string' ? wanted : task.initial_state.start_url;
  if (address === undefined || address.trim() === '') {
    return { why: 'This task names no page to begin with. Run it: the page that it is at can be opened then.' };
  }
  const meant = await resolveAddress(address, new PageFiles({ folder: dirname(task.file) }));
  return 'url' in meant ? realPage(meant.url, task) : { why: `${meant.refused}.` };
}

function ownPage(pathname: string, taskFile: string): RealPage {
  const named = pagePath(pathname);
  if ('refused' in named) return { why: `${pathname} cannot be opened: ${named.refused}.` };
  const file = join(dirname(taskFile), named.path);
  if (secret(named.path) !== null || !existsSync(file)) {
    return { why: `There is no file ${named.path} beside the task: this page exists only in the run's own browser.` };
  }
  return { file };
}
