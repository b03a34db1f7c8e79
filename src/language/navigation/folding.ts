/** Zero-based first and last line of each group of comment lines in an actions file; single lines do not fold. */
export function commentGroups(text: string): (readonly [start: number, end: number])[] {
  const groups: [number, number][] = [];
  let start = -1;
  for (const [line, content] of [...text.split(/\r\n|\r|\n/), ''].entries()) {
    if (/^\s*(?:#|\/\/)/.test(content)) {
      if (start === -1) start = line;
      continue;
    }
    if (start !== -1 && line - start > 1) groups.push([start, line - 1]);
    start = -1;
  }
  return groups;
}
