import { isObject } from '../../base/json.ts';
import { KINDS } from '../../environments/kinds.ts';
import type { UserFunctions } from '../../environments/user-functions.ts';

/** Metadata keys that Taskwright reads. */
const READ_IN_METADATA = ['combine', 'tags', 'placement', 'docker'];

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
        if (!isObject(member) || READ_IN_METADATA.some((key) => key in member)) return false;
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

const one =
  (isValid: (value: unknown) => boolean): Validator =>
  (args, from) =>
    args.length === from + 1 && isValid(args[from]);

/** An answer that does not occur in the prompt. */
const answer: Validator = (args, from, prompt) => {
  const text = args[from];
  return args.length === from + 1 && isText(text) && !prompt.toLowerCase().includes(text.trim().toLowerCase());
};

/** Setup calls where there is a page. */
const SETUP: ReadonlyMap<string, Validator> = new Map([
  ['goto', (args, from, _, { beside }) => args.length === from + 1 && isAddress(args[from], beside)],
  ['load_html_content', one(isText)],
]);

/** Evaluate calls of any environment. */
const RESPONSE: ReadonlyMap<string, Validator> = new Map([
  ['response_includes', answer],
  ['response_is', answer],
  ['exact_match', answer],
  ['contains', answer],
  ['response_match', one(isPattern)],
]);

/** Evaluate calls where there is a page. */
const EVALUATE: ReadonlyMap<string, Validator> = new Map([
  ...RESPONSE,
  ['page_contains', one(isText)],
  ['contains_text', one(isText)],
  ['url_contains', one(isText)],
  ['url_match', one(isPattern)],
  ['element_exists', one(isSelector)],
  ['text_matches', (args, from) => args.length === from + 2 && isSelector(args[from]) && isPattern(args[from + 1])],
  ['cookie_exists', one(isText)],
]);
