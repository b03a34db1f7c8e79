import type { Json } from '../../base/json.ts';
import type { HudTemplate } from '../../environments/hud-template.ts';
import { typeInfo } from '../../environments/kinds.ts';
import type { FunctionDeclaration } from '../../functions/declaration.ts';
import { needOf } from '../../functions/needs.ts';
import { isPython } from '../../functions/user/files.ts';
import type { UserParameter, UserSignature } from '../../functions/user/names.ts';
import { parameterName } from '../../functions/user/parameters.ts';
import { jsonWriter } from '../../tasks/formats/json/print.ts';
import type { KeyDoc } from '../../tasks/key-docs.ts';
import { signatureText } from '../findings/arguments.ts';
import { templateSignature } from './template-keys.ts';

/** The description of a key, as Markdown. */
export function keyDoc(key: string, { doc, shape, example, hud }: KeyDoc): string {
  return paragraphs(
    `**${key}**: ${shape}`,
    doc,
    hud === undefined ? null : hud.startsWith('HUD ') ? hud : `*HUD*: ${hud}`,
    emptyExample(example) ? null : code('json', `${JSON.stringify(key)}: ${jsonWriter.value(example)}`),
  );
}

/** `cart_total(total: number, currency?: string)`; `cart_total(…)` if the parameters are not known. */
export function userSignatureText({ name, parameters }: UserSignature): string {
  return `${name}(${parameters === null ? '…' : parameters.map(userParameterText).join(', ')})`;
}

/** `currency?: string` */
export function userParameterText(parameter: UserParameter): string {
  return `${parameterName(parameter)}${parameter.type === null ? '' : `: ${parameter.type}`}`;
}

/** The description of a built-in function, as Markdown. */
export function builtinDoc(declaration: FunctionDeclaration, name: string = declaration.name): string {
  const { phase, needs, doc, aliases = [], notRun } = declaration;
  const need = needOf(needs);
  const others = [declaration.name, ...aliases].filter((other) => other !== name);
  return paragraphs(
    code('ts', signatureText(declaration, name)),
    doc,
    [
      `For \`${phase}\``,
      need === null ? ' in every environment' : ` in environments with ${need}`,
      others.length === 0
        ? ''
        : `. ${others.length === 1 ? 'Alias' : 'Aliases'}: ${others.map((other) => `\`${other}\``).join(', ')}`,
      notRun === true ? '. Not run by this version' : '',
      '.',
    ].join(''),
  );
}

/** The description of a user-defined function, as Markdown. */
export function userFunctionDoc(signature: UserSignature): string {
  const file = signature.file.replace(/^.*[/\\]/, '');
  return paragraphs(
    code(isPython(file) ? 'python' : 'ts', userSignatureText(signature)),
    signature.doc,
    `Defined in \`${file}\`${signature.phase === null ? '' : `, for \`${signature.phase}\``}.`,
  );
}

/** The description of a template of a HUD environment, as Markdown. */
export function templateDoc(template: HudTemplate): string {
  const { returns } = template;
  const answer = returns == null ? null : `The answer is JSON:\n${code('json', JSON.stringify(returns, null, 2))}`;
  return paragraphs(code('python', templateSignature(template)), template.description, answer);
}

export function environmentDoc(type: string): string | null {
  const info = typeInfo(type);
  return info === null ? null : paragraphs(`**${type}**`, info.doc);
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
