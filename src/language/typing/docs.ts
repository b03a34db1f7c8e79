import { environmentTypes } from '../../environments/kinds.ts';
import type { FunctionDeclaration } from '../../functions/declaration.ts';
import { needOf } from '../../functions/needs.ts';
import type { CustomTaskName } from '../../functions/user/custom-tasks.ts';
import { isPython } from '../../functions/user/files.ts';
import type { UserParameter, UserSignature } from '../../functions/user/names.ts';
import type { Json } from '../../tasks/task.ts';
import { jsonLine } from '../json-line.ts';
import type { KeyDoc } from './keys.ts';

/** What is said of a key, as Markdown. */
export function keyDoc(key: string, { doc, shape, example, hud }: KeyDoc): string {
  return paragraphs(
    `**${key}**: ${shape}`,
    doc,
    hud === undefined ? null : hud.startsWith('HUD ') ? hud : `*HUD*: ${hud}`,
    emptyExample(example) ? null : code('json', `${JSON.stringify(key)}: ${jsonLine(example)}`),
  );
}

/** `text_matches(selector, pattern)` */
export function signatureText(declaration: FunctionDeclaration, name: string = declaration.name): string {
  return `${name}(${declaration.parameters.join(', ')})`;
}

/** `cart_total(total: number, currency?: string)`; `cart_total(…)` where only running it would tell. */
export function userSignatureText({ name, parameters }: UserSignature): string {
  return `${name}(${parameters === null ? '…' : parameters.map(userParameterText).join(', ')})`;
}

/** `currency?: string` */
export function userParameterText({ name, type, optional, rest }: UserParameter): string {
  return `${rest ? '...' : ''}${name}${optional ? '?' : ''}${type === null ? '' : `: ${type}`}`;
}

/** What is said of a built-in function, as Markdown. */
export function builtinDoc(declaration: FunctionDeclaration, name: string = declaration.name): string {
  const { phase, environments, doc, aliases = [], notRun } = declaration;
  const need = needOf(environments);
  const others = [declaration.name, ...aliases].filter((other) => other !== name);
  return paragraphs(
    code('ts', signatureText(declaration, name)),
    doc,
    [
      `For \`${phase}\``,
      need === null ? ' in every environment' : ` in environments with ${need}`,
      others.length === 0 ? '' : `. Also written ${others.map((other) => `\`${other}\``).join(', ')}`,
      notRun === true ? '. Not run by this version' : '',
      '.',
    ].join(''),
  );
}

/** What is said of a person's own function, as Markdown. */
export function userFunctionDoc(signature: UserSignature): string {
  const file = signature.file.replace(/^.*[/\\]/, '');
  return paragraphs(
    code(isPython(file) ? 'python' : 'ts', userSignatureText(signature)),
    signature.doc,
    `Your own, in \`${file}\`${signature.phase === null ? '' : `, for \`${signature.phase}\``}.`,
  );
}

/** What is said of a custom task in code, as Markdown. */
export function customTaskDoc({ name, class: named, doc, file, python }: CustomTaskName): string {
  const where = `in \`${file.replace(/^.*[/\\]/, '')}\``;
  return paragraphs(
    `**${name}**: ${named === null ? 'a custom task' : `\`class ${named}\``}`,
    doc,
    python ? `A class in Python, ${where}. Not run by this version.` : `Your own, ${where}.`,
  );
}

/** What is said of an environment. */
export const ENVIRONMENT_DOCS: Readonly<Record<string, string>> = {
  'hud-browser': 'A browser with one page to act on. This version runs it.',
  qa: 'A question and the text that the agent answers; the first response counts. This version runs it.',
  browsergym:
    'A task of BrowserGym: `benchmark` and `task_name`. This version runs MiniWoB++ (`miniwob`), which gives the goal and the reward, and your own tasks in code (`custom`).',
  coding:
    'A folder of files (`files`, `folder` or `git`) in which the agent reads, writes and runs commands. On this machine it is no sandbox; in Docker it is one. This version runs it.',
  desktop: 'A desktop. Not run by this version yet.',
  docker: 'An image (`image_uri`) with a controller of HUD 0.2 in it. This version runs it in Docker.',
  hud: 'An environment of HUD 0.5 or 0.6. Not run by this version yet.',
  'hud-ubuntu': 'A desktop with windows, mouse and keyboard; in HUD 0.2.2 to 0.2.5 only.',
  mcp: 'The tools of MCP servers, as in HUD 0.4. Not run by this version yet.',
  'OSWorld-Ubuntu':
    'A desktop with windows, mouse and keyboard; what OSWorld’s `config` asks for is done where this desktop has it.',
  public:
    'An environment of your own, as in HUD 0.2: its controller, in Python, is called for setup, steps and evaluate. This version runs it: an image in Docker; a folder in Docker, or by python3 without it.',
};

export function environmentDoc(type: string): string | null {
  return environmentTypes.includes(type) ? paragraphs(`**${type}**`, ENVIRONMENT_DOCS[type] ?? null) : null;
}

export function paragraphs(...parts: readonly (string | null | undefined)[]): string {
  return parts.filter((part) => part !== null && part !== undefined && part !== '').join('\n\n');
}

function code(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

function emptyExample(example: Json): boolean {
  return typeof example === 'object' && example !== null && Object.keys(example).length === 0;
}
