/** Returns the id itself, or the first of `id-2`, `id-3`, ... that is not in use. */
export function freeId(id: string, ids: Pick<ReadonlySet<string>, 'has'>): string {
  if (!ids.has(id)) return id;
  const [, base = id, last] = /^(.*?)-(\d{1,9})$/s.exec(id) ?? [];
  for (let number = last === undefined ? 2 : Number(last) + 1; ; number += 1) {
    if (!ids.has(`${base}-${number}`)) return `${base}-${number}`;
  }
}
