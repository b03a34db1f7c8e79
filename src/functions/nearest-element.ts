import { nearest } from './nearest.ts';
import { nameSought } from './page/name-sought.ts';

/** `nearest: `#apply``: for a selector that ends in an id or class, that of the names which looks most like it. */
export function nearestElement(selector: string, names: readonly string[]): string {
  const sought = nameSought(selector);
  const like = sought === null ? undefined : nearest(sought.name, names, (one) => one);
  return like === undefined ? '' : `nearest: \`${sought?.kind === 'id' ? '#' : '.'}${like}\``;
}
