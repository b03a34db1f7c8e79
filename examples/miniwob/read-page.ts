/** One line of an observation: `[13] button 'Click Me!', focused`. */
export interface Line {
  /** Null where an action cannot name it. */
  readonly id: string | null;
  readonly role: string;
  readonly name: string;
  readonly value: string | null;
  /** What else is said of it. */
  readonly rest: string;
}

const TEXT = String.raw`'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"`;
const LINE = new RegExp(String.raw`^\t*(?:\[(\w+)\] )?([\w-]+) (${TEXT})(?: value=(${TEXT}|[^,]*))?(.*)$`, 's');

/** The lines of an observation, without those that only repeat their text. */
export function read(observation: string): Line[] {
  return observation.split('\n').flatMap((line) => {
    const [, id = null, role = '', name = '', value = null, rest = ''] = LINE.exec(line) ?? [];
    if (role === '' || role === 'InlineTextBox') return [];
    return [{ id, role, name: plain(name), value: value === null ? null : plain(value), rest }];
  });
}

/** A text as Python prints it, without its quotes. */
function plain(text: string): string {
  if (!/^['"]/.test(text)) return text;
  return text.slice(1, -1).replace(/\\(n|t|.)/g, (_, char: string) => ({ n: '\n', t: '\t' })[char] ?? char);
}
