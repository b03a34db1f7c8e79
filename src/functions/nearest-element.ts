import { nearest } from './nearest.ts';
import { finalName } from './page/final-name.ts';

/** `nearest: `#apply``: the name that is most similar to the id or class at the end of a selector. */
export function nearestElement(selector: string, names: readonly string[]): string {
  const name = finalName(selector);
  const like = name === null ? undefined : nearest(name.name, names, (one) => one);
  return like === undefined ? '' : `nearest: \`${name?.kind === 'id' ? '#' : '.'}${like}\``;
}
