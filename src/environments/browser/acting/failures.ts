import { CodedError } from '../../../base/coded-error.ts';
import { OutOfTime, seconds } from '../limits.ts';

/** Why an action failed: a message for the agent and a stable code. */
export class ActionError extends CodedError {
  override readonly name: string = 'ActionError';
}

/** The code of a URL that is a download. */
export const DOWNLOAD = 'page_not_shown';

/** A URL could not be opened. */
export class NavigationError extends ActionError {
  override readonly name = 'NavigationError';
  readonly url: string;
  constructor(url: string, why: string) {
    super('page_not_loaded', `${url} ${why}`);
    this.url = url;
  }
}

/** Reasons in Playwright's log of a call that timed out, in the order of precedence, with our messages. */
const TIMEOUT_REASONS: readonly (readonly [RegExp, code: string, reason: string])[] = [
  [
    /(<[^\n]*?>)[^\n]* from (<[^\n]*?>)[^\n]* subtree intercepts pointer events/,
    'element_covered',
    'is covered by $1 in $2',
  ],
  [/(<[^\n]*?>)[^\n]* intercepts pointer events/, 'element_covered', 'is covered by $1'],
  [
    /element is outside of the viewport/,
    'element_outside',
    'is outside of the viewport and cannot be scrolled into it',
  ],
  [/element is not visible/, 'element_hidden', 'is not visible'],
  [/element is not enabled/, 'element_disabled', 'is disabled'],
  [/element is not editable/, 'element_readonly', 'is read-only'],
  [/element is not stable/, 'element_moving', 'keeps moving'],
  [/did not find some options/, 'option_missing', 'has no such option'],
];

/** Other messages of Playwright, in the order of precedence, with our messages. */
const FAILURES: readonly (readonly [RegExp, code: string, reason: string])[] = [
  [/Element is not an <input>|not an? <input>|cannot be filled/i, 'not_a_field', 'is not a field that can be filled'],
  [
    /Malformed value/i,
    'malformed_value',
    'does not take this value: dates are YYYY-MM-DD, times HH:MM, colours #rrggbb',
  ],
  [/Cannot type text into input\[type=number\]/, 'malformed_value', 'takes numbers only'],
  [/Element is not a <select>/, 'not_a_list', 'is not a list of options'],
  [/Not a checkbox or radio button/, 'not_a_checkbox', 'is not a checkbox or radio button'],
  [
    /Clicking the (checkbox|radio button) did not change its state|Cannot uncheck radio button/i,
    'not_changed',
    'did not change its state',
  ],
  [/Element is not visible/i, 'element_hidden', 'is not visible'],
  [/outside of the viewport/i, 'element_outside', 'is outside of the viewport and cannot be scrolled into it'],
];

const LOST_ELEMENT =
  /not attached to the DOM|Node is detached|JSHandle is disposed|Cannot find context|Could not find object|target navigated or closed/i;

/** Reduces an error of Playwright to what a user or an agent can act on. */
export function explain(error: unknown, subject: string, limit: number): ActionError {
  if (error instanceof ActionError) return error;
  if (error instanceof OutOfTime) return timeoutError(subject, limit);
  const text = messageOf(error);
  const first = (text.split('\n')[0] ?? '').replace(/^[a-zA-Z]+\.[a-zA-Z$]+: /, '').replace(/^Error: /, '');
  if (LOST_ELEMENT.test(text)) return new ActionError('element_gone', `${subject} is no longer on the page`);
  if (/Timeout \d+ms exceeded/.test(text)) {
    for (const line of text.split('\n').reverse()) {
      for (const [pattern, code, words] of TIMEOUT_REASONS) {
        const match = pattern.exec(line);
        if (match) {
          const reason = words.replace(/\$(\d)/g, (_, group: string) => openingTag(match[Number(group)] ?? ''));
          return new ActionError(code, `${subject} ${reason}`);
        }
      }
    }
    return timeoutError(subject, limit);
  }
  const failure = FAILURES.find(([pattern]) => pattern.test(text));
  if (failure) return new ActionError(failure[1], `${subject} ${failure[2]}`);
  if (/Unknown key: /.test(text)) return new ActionError('unsupported_key', first.replace(/^"|"$/g, ''));
  return new ActionError('action_failed', `${subject}: ${first}`);
}

function timeoutError(subject: string, limit: number): ActionError {
  return new ActionError('action_timeout', `${subject} did not take the action within ${seconds(limit)}`);
}

/** The error for a page that does not load in time. `answered`: a part of its document has arrived. */
export function loadTimeoutError(url: string, limit: number, answered: boolean): ActionError {
  const words = answered ? 'did not finish loading' : 'did not respond';
  return new NavigationError(url, `${words} within ${seconds(limit)}`);
}

/** Explains why a URL could not be opened. */
export function explainNavigation(error: unknown, url: string, limit: number, answered: boolean): ActionError {
  if (error instanceof ActionError) return error;
  const text = messageOf(error);
  if (/Timeout \d+ms exceeded/.test(text)) return loadTimeoutError(url, limit, answered);
  if (/Download is starting/.test(text)) {
    return new ActionError(DOWNLOAD, `${url} is a download, not a page`);
  }
  const net = /net::(ERR_[A-Z_0-9]+)/.exec(text)?.[1];
  if (net) return new NavigationError(url, `could not be opened: ${NET[net] ?? net}`);
  if (/interrupted by another navigation/.test(text)) {
    return new ActionError('page_not_loaded', `${url} was left for another page while it loaded`);
  }
  return new NavigationError(url, `could not be opened: ${text.split('\n')[0] ?? ''}`);
}

const NET: Readonly<Record<string, string>> = {
  ERR_NAME_NOT_RESOLVED: 'no such host (ERR_NAME_NOT_RESOLVED)',
  ERR_CONNECTION_REFUSED: 'nothing listens there (ERR_CONNECTION_REFUSED)',
  ERR_INTERNET_DISCONNECTED: 'there is no network (ERR_INTERNET_DISCONNECTED)',
  ERR_UNSAFE_REDIRECT: 'it redirects to an address that cannot be opened here (ERR_UNSAFE_REDIRECT)',
  ERR_UNKNOWN_URL_SCHEME: 'it leads to an address that cannot be opened here (ERR_UNKNOWN_URL_SCHEME)',
  ERR_ABORTED: 'the page gave no document (ERR_ABORTED)',
};

/** The message of an error without terminal colors. */
function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are written with the escape character
  return text.replace(/\u001b\[[0-9;]*m/g, '');
}

/** The opening tag of an element, truncated if long. */
export function openingTag(html: string): string {
  const tag = /^<[^>]*>/.exec(html)?.[0] ?? html;
  return tag.length > 100 ? `${tag.slice(0, 99)}…` : tag;
}
