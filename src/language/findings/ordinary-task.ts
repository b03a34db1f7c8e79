import * as z from 'zod';
import { isObject } from '../../base/json.ts';
import { hasRawNumbers } from '../../base/raw-numbers-in.ts';
import { KINDS } from '../../environments/kinds.ts';
import type { UserFunctions } from '../../environments/user-functions.ts';
import { address, pattern, selector } from '../../functions/arguments.ts';
import { builtins } from '../../functions/catalogue.ts';
import type { FunctionDeclaration, Need, Phase } from '../../functions/declaration.ts';
import { anyText, anyUrl, blankTexts, emptyTexts, onEveryPage } from '../../functions/trivial.ts';

/** Metadata keys that Taskwright reads. */
const READ_IN_METADATA = ['combine', 'tags', 'placement', 'docker', 'dialogs'];

/** The types of `gym` whose tasks can be ordinary, and whether their environments have a page. */
const HAS_PAGE: ReadonlyMap<unknown, boolean> = new Map(
  KINDS.flatMap(({ types, provides }) =>
    Object.entries(types).flatMap(([name, { ordinary }]) =>
      ordinary === true ? [[name, provides.includes('page')] as const] : [],
    ),
  ),
);

/** @param from index of the first argument: a copy without the name before it would cost as much as the validation itself */
type Validator = (args: readonly unknown[], from: number, prompt: string, own: UserFunctions) => boolean;

/**
 * Whether a task surely has no findings: a fast test for ordinary tasks, many times faster than reading and checking
 * them. Returns false for all other tasks, including all with findings. A property test compares it with the rules.
 */
export function isOrdinaryTask(value: unknown, own: UserFunctions): boolean {
  if (!isObject(value)) return false;
  const { prompt, gym, setup, evaluate } = value;
  if (typeof prompt !== 'string' || prompt === '') return false;
  const hasPage = HAS_PAGE.get(gym);
  if (hasPage === undefined) return false;
  for (const key in value) {
    const member = value[key];
    switch (key) {
      case 'prompt':
      case 'gym':
      case 'setup':
      case 'evaluate':
        break;
      case 'id':
      case 'system_prompt':
      case 'description':
        if (typeof member !== 'string') return false;
        break;
      case 'metadata':
        if (!isObject(member) || READ_IN_METADATA.some((key) => key in member) || hasRawNumbers(member)) return false;
        break;
      default:
        return false;
    }
  }
  if (setup !== undefined && !(hasPage && isFineCall(setup, SETUP, prompt, own))) return false;
  const validators = hasPage ? EVALUATE : RESPONSE;
  if (!Array.isArray(evaluate) || typeof evaluate[0] === 'string') {
    return isFineCall(evaluate, validators, prompt, own);
  }
  if (evaluate.length === 0) return false;
  for (const call of evaluate) {
    if (Array.isArray(call) || !isFineCall(call, validators, prompt, own)) return false;
  }
  return true;
}

/** A call as `[name, ...texts]` or `{function, args: [...texts]}`. */
function isFineCall(
  call: unknown,
  validators: ReadonlyMap<string, Validator>,
  prompt: string,
  own: UserFunctions,
): boolean {
  let name: unknown;
  let args: readonly unknown[];
  let from = 0;
  if (Array.isArray(call)) {
    name = call[0];
    args = call;
    from = 1;
  } else if (isObject(call)) {
    name = call['function'];
    if (!Array.isArray(call['args'])) return false;
    args = call['args'];
    for (const key in call) if (key !== 'function' && key !== 'args') return false;
  } else return false;
  if (typeof name !== 'string' || own.has(name)) return false;
  return validators.get(name)?.(args, from, prompt, own) === true;
}

/** A selector of ids, classes, and names that does not match every page. */
const SELECTOR = /^(?:[a-z][\w-]*)?[#.][A-Za-z][\w-]*(?: [#.]?[A-Za-z][\w-]*)*$/;
/** Patterns of literal characters and dots. */
const PATTERN = /^[\w ,:;/&=%@~!'"<>#.-]*[\w/][\w ,:;/&=%@~!'"<>#.-]*$/;
const SITE = /^https?:\/\/[a-z][a-z\d]*(?:\.[a-z][a-z\d]*)*(?:\/[\w./=&-]*)?$/;
const PAGE = /^[\w-]+(?:\/[\w-]+)*\.html$/;

const isAddress = (value: unknown, beside: UserFunctions['beside']): boolean =>
  typeof value === 'string' &&
  (SITE.test(value) || (PAGE.test(value) && (beside === undefined || beside(value) === 'file')));
const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';
const isPattern = (value: unknown): boolean =>
  typeof value === 'string' && PATTERN.test(value) && !value.startsWith('/');
const isSelector = (value: unknown): boolean => typeof value === 'string' && SELECTOR.test(value);
/** An answer that does not occur in the prompt. */
const isAnswer = (value: unknown, prompt: string): boolean =>
  isText(value) && !prompt.toLowerCase().includes(value.trim().toLowerCase());

type Test = (value: unknown, prompt: string, own: UserFunctions) => boolean;

/** The test of an argument by its schema; null for schemas whose arguments are not ordinary. */
function testOf(schema: z.core.$ZodType, declaration: FunctionDeclaration): Test | null {
  if (schema === selector) return isSelector;
  if (schema === pattern) return isPattern;
  if (schema === address) return (value, _, { beside }) => isAddress(value, beside);
  if (!acceptsTexts(schema)) return null;
  return declaration.phase === 'evaluate' && declaration.expected !== undefined ? isAnswer : isText;
}

/** Whether a schema accepts every text. */
function acceptsTexts(schema: z.core.$ZodType): boolean {
  if ((schema._zod.def.checks ?? []).length > 0) return false;
  if (schema instanceof z.ZodUnion) return schema.def.options.some(acceptsTexts);
  return schema instanceof z.ZodString;
}

/** What the tests of arguments exclude already. */
const EXCLUDED: ReadonlySet<unknown> = new Set([emptyTexts, blankTexts, anyText, anyUrl, onEveryPage]);

/** The test of a call with nothing but the required arguments; null if no call of the function is ordinary. */
function validatorOf(declaration: FunctionDeclaration): Validator | null {
  const { args: schema } = declaration;
  if (declaration.notRun === true || !(schema instanceof z.ZodTuple) || schema.def.rest !== null) return null;
  const items = schema.def.items.filter((item) => !(item instanceof z.ZodOptional));
  const [first, second, ...more] = items.map((item) => testOf(item, declaration));
  if (first === undefined || first === null || second === null || more.length > 0) return null;
  const evaluate = declaration.phase === 'evaluate' ? declaration : null;
  if (evaluate?.searchesCharacters !== undefined) return null;
  const trivial = EXCLUDED.has(evaluate?.trivial) ? undefined : evaluate?.trivial;
  if (second === undefined) {
    return trivial === undefined
      ? (args, from, prompt, own) => args.length === from + 1 && first(args[from], prompt, own)
      : (args, from, prompt, own) =>
          args.length === from + 1 && first(args[from], prompt, own) && trivial(args[from]) === null;
  }
  return (args, from, prompt, own) =>
    args.length === from + 2 &&
    first(args[from], prompt, own) &&
    second(args[from + 1], prompt, own) &&
    (trivial?.(args[from], args[from + 1]) ?? null) === null;
}

/** The functions of a phase that can be called in environments that provide this and nothing else. */
function validatorsOf(phase: Phase, provides: readonly Need[]): ReadonlyMap<string, Validator> {
  const byName = new Map<string, Validator>();
  for (const declaration of builtins) {
    if (declaration.phase !== phase || !declaration.needs.every((need) => provides.includes(need))) continue;
    const validator = validatorOf(declaration);
    if (validator === null) continue;
    for (const name of [declaration.name, ...(declaration.aliases ?? [])]) byName.set(name, validator);
  }
  return byName;
}

const SETUP = validatorsOf('setup', ['page']);
const EVALUATE = validatorsOf('evaluate', ['page']);
/** Evaluate functions of any environment. */
const RESPONSE = validatorsOf('evaluate', []);
