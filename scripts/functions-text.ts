import { canCall, KINDS } from '../src/environments/kinds.ts';
import { builtins } from '../src/functions/catalogue.ts';
import { judgesResponseOnly } from '../src/functions/meaning.ts';

const BEGIN = '<!-- This table is written by npm run build. -->\n';
const END = '<!-- End of the table. -->\n';

/** `docs/functions.md` with the table of all functions that can be run; the rest of the page is written by hand. */
export function functionsPage(text: string): string {
  const [from, to] = [text.indexOf(BEGIN) + BEGIN.length, text.indexOf(END)];
  if (from < BEGIN.length || to < from) throw new Error('docs/functions.md has no marks around its table');
  return `${text.slice(0, from)}\n${functionTable()}\n${text.slice(to)}`;
}

function functionTable(): string {
  const rows = builtins
    .filter(({ notRun }) => notRun === undefined)
    .map(({ name, aliases = [], parameters, phase, needs, doc }) => {
      const kinds = KINDS.filter((kind) => canCall({ needs }, kind)).map((kind) => kind.name);
      const also = aliases.length === 0 ? '' : ` Also \`${aliases.join('`, `')}\`.`;
      const where = needs.length === 0 ? 'all' : kinds.join(', ');
      return `| \`${name}(${parameters.join(', ')})\` | ${phase} | ${where} | ${doc}${also} |\n`;
    });
  return `| function | for | works in | what it does or asks |\n|---|---|---|---|\n${rows.join('')}`;
}

/** `src/tasks/response-functions.ts`: the part of the declarations that the code that reads tasks needs, in a lower layer. */
export function responseFunctionsModule(): string {
  const names = builtins
    .filter(judgesResponseOnly)
    .flatMap(({ name, aliases = [] }) => [name, ...aliases])
    .map((name) => `  '${name}',\n`);
  return `// Written by npm run build from the declarations in src/functions/.

/** The built-in evaluate functions that judge only the response. */
export const RESPONSE_FUNCTIONS: ReadonlySet<string> = new Set([
${names.join('')}]);
`;
}
