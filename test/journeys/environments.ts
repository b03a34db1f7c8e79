import type { Locator } from 'playwright';
import type { Workbench } from './workbench.ts';

/** A solution of the task `say-why-not` that is not done before any test is. */
export const ENDLESS = { 'login/say-why-not.actions': "fill('#user', 'ada')\nnoop(600000)\n" };

/** The rows of the Environments view. */
export function environments({ page }: Workbench): Locator {
  return page.getByRole('treeitem', { name: /^environment / });
}

/** The rows above them that show the load of each host. */
export function loads({ page }: Workbench): Locator {
  return page.getByRole('treeitem', { name: /^load of / });
}
