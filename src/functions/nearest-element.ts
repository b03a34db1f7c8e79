import { nearest } from './nearest.ts';
import { nameSought } from './page/name-sought.ts';

/** `nearest: `#apply``: the name that is most similar to the id or class at the end of a selector. */
export function nearestElement(selector: string, names: readonly string[]): string {
  const sought = nameSought(selector);
  const like = sought === null ? undefined : nearest(sought.name, names, (one) => one);
  return like === undefined ? '' : `nearest: \`${sought?.kind === 'id' ? '#' : '.'}${like}\``;
}
