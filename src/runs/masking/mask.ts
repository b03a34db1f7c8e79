import type { ActionInput } from '../../actions/action.ts';
import type { NormalAction } from '../../actions/normal.ts';
import { normaliseAction } from '../../actions/normalise.ts';
import { printAction } from '../../actions/print.ts';
import { verbOfObject } from '../../actions/verb.ts';
import type { Json } from '../../base/json.ts';
import type { RecordedPage, RecordedState } from '../../environments/recorded.ts';
import { UNNAMED } from '../../functions/masked.ts';
import { excerpt } from '../../functions/words.ts';
import type { Task } from '../../tasks/task.ts';
import type { NewStep } from '../../traces/new-step.ts';
import type { RunError, RunRecord, Step, TraceHeader } from '../../traces/trace.ts';
import type { RunEvent } from '../events.ts';
import { maskPage } from './mask-page.ts';
import { exactForm, formsOf, plainForm } from './patterns.ts';

/** `<secret>password</secret>`, in the syntax of browser-use. Typed in an action, it stands for the value. */
export function placeholder(name: string): string {
  return `<secret>${name}</secret>`;
}

/**
 * Masks secrets in traces and events of a run: the values of the task's `sensitive_data`, and text typed into password
 * fields as soon as it is known. Pictures are not masked.
 */
export class Mask {
  readonly #names: Map<string, string>;
  /** Quotes of single characters that were typed into password fields, such as `press('#password', 'a')`, with their masks. */
  readonly #quotes: Map<string, string>;
  readonly #overwrites: boolean;
  /** Masks secrets, but no quotes: an action may have the text of a quote, and act on another field. */
  #hide: Write;
  #hideQuotes: Write;

  private constructor(names: Map<string, string>, quotes: Map<string, string>, overwrites: boolean) {
    this.#names = names;
    this.#quotes = quotes;
    this.#overwrites = overwrites;
    this.#hide = writer(names, overwrites);
    this.#hideQuotes = writer(names, overwrites, quotes);
  }

  /** The mask for a run; null if none is needed. */
  static of(task: Task, masksPasswords: boolean): Mask | null {
    const masksByValue = Object.values(task.sensitive_data).flatMap((values) =>
      Object.entries(values).flatMap(([name, value]): [string, string][] =>
        value === '' ? [] : [[value, placeholder(name)]],
      ),
    );
    return masksPasswords || masksByValue.length > 0 ? new Mask(new Map(masksByValue), new Map(), false) : null;
  }

  /** The same mask for lines on disk: replaces secrets with asterisks of the same size in bytes. */
  get overwriting(): Mask {
    return new Mask(this.#names, this.#quotes, true);
  }

  /** Adds text that an action typed into a password field. True if any of it is new. */
  addTyped(typedTexts: readonly string[], action: NonNullable<Step['action']> = []): boolean {
    const texts = typedTexts.filter((text) => !isCharacter(text) && !this.#names.has(text));
    const quotes = [...quotesOf(typedTexts, action)].filter(([quote]) => !this.#quotes.has(quote));
    for (const text of texts) this.#names.set(text, UNNAMED);
    for (const [quote, maskedQuote] of quotes) this.#quotes.set(quote, maskedQuote);
    const hasNew = texts.length > 0 || quotes.length > 0;
    if (hasNew) {
      this.#hide = writer(this.#names, this.#overwrites);
      this.#hideQuotes = writer(this.#names, this.#overwrites, this.#quotes);
    }
    return hasNew;
  }

  text(text: string): string {
    return this.#hideQuotes(text);
  }

  /** Masks all texts in a value, except the keys of objects. */
  value<T>(value: T): T {
    return maskValue(value, (text) => this.text(text));
  }

  /** Masks a trace header, except the fields that identify the task. */
  header(header: TraceHeader): TraceHeader {
    const { task } = header;
    const { file, index, id, era, range, env } = task;
    return {
      ...header,
      task: {
        ...this.value(task),
        ...{ file, index, id, era, range },
        env: { ...this.value(env), type: env.type },
        setup: task.setup.map((call) => this.call(call)),
        evaluate: task.evaluate.map((call) => this.call(call)),
      },
      prompt: this.text(header.prompt),
      agent: this.text(header.agent),
    };
  }

  /** @param typedTexts text typed into password fields in this step, including single characters */
  step<T extends NewStep | Step>(step: T, typedTexts: readonly string[] = []): T {
    const typedHere = writer(new Map(typedTexts.map((text) => [text, UNNAMED])), this.#overwrites);
    const maskOwnText = (text: string): string => typedHere(this.#hide(text));
    const { observation, action, call, info, error, turn } = step;
    return {
      ...step,
      ...(action === undefined ? {} : { action: this.#actions(action, new Set(typedTexts)) }),
      ...(call === undefined ? {} : { call: this.call(call) }),
      ...(turn === undefined ? {} : { turn: this.value(turn) }),
      observation: observation && {
        ...observation,
        text: observation.text === null ? null : this.text(observation.text),
        ...(observation.data === undefined ? {} : { data: this.value(observation.data) }),
        ...(observation.dialog === undefined ? {} : { dialog: this.value(observation.dialog) }),
      },
      info: { ...this.value(info), ...('acted' in info ? { acted: maskValue(info['acted'], maskOwnText) } : {}) },
      error: error && { ...error, message: typedHere(this.text(error.message)) },
      ...('contents' in step && step.contents !== undefined
        ? { contents: mapValues(step.contents, (bytes) => maskBytes(bytes, this.#hide)) }
        : {}),
      ...('recorded' in step && step.recorded !== undefined
        ? { recorded: this.#maskState(step.recorded, maskOwnText, typedTexts) }
        : {}),
    };
  }

  /** Masks a line of `pages.br` that was written before a secret was known. */
  pages(line: string): string {
    if (this.#hide(line) === line) return line;
    const { page, ...rest } = JSON.parse(line) as { page?: RecordedPage };
    const maskedRest = maskValue(rest, this.#hide);
    return JSON.stringify(page === undefined ? maskedRest : { ...maskedRest, page: maskPage(page, this.#hide) });
  }

  #maskState(state: RecordedState, maskOwnText: Write, typedTexts: readonly string[]): RecordedState {
    const { page, missing, resources, actions } = state;
    const json = page && Buffer.from(page).toString('utf8');
    return {
      ...state,
      ...(missing === undefined ? {} : { missing: this.text(missing) }),
      page:
        json === null || (this.#quotes.size === 0 && this.#hide(json) === json)
          ? page
          : Buffer.from(JSON.stringify(maskPage(JSON.parse(json) as RecordedPage, this.#hide)), 'utf8'),
      resources: mapValues(resources, (one) => maskBytes(one, this.#hide)),
      actions: actions.map((one) => ({
        ...maskValue(one, maskOwnText),
        input: this.#action(one.input, new Set(typedTexts)),
        normalised: one.normalised && mapTexts(one.normalised, maskOwnText),
      })),
    };
  }

  call<T extends NonNullable<Step['call']>>(call: T): T {
    const { args, metadata } = call;
    const hide = (value: Json): Json => maskValue(value, (text) => this.text(text), this.#overwrites ? nines : String);
    return { ...call, args: args.map(hide), ...(metadata == null ? {} : { metadata: hide(metadata) }) };
  }

  error(error: RunError): RunError {
    const { call } = error;
    return { ...error, message: this.text(error.message), ...(call === undefined ? {} : { call: this.call(call) }) };
  }

  record(record: RunRecord): RunRecord {
    const { grade } = record;
    return {
      ...record,
      error: record.error && this.error(record.error),
      prompt: this.text(record.prompt),
      grade: {
        ...grade,
        content: grade.content === null ? null : this.text(grade.content),
        info: this.value(grade.info),
        subscores: grade.subscores.map(({ range, ...one }) => ({ ...this.value(one), range })),
      },
    };
  }

  /** Masks an event. Steps, header, and record are already masked. */
  event(event: RunEvent): RunEvent {
    switch (event.type) {
      case 'log':
      case 'doing':
        return { ...event, text: this.text(event.text) };
      case 'turn':
        return { ...event, turn: this.value(event.turn) };
      case 'phase':
        return event.detail === undefined ? event : { ...event, detail: this.text(event.detail) };
      default:
        return event;
    }
  }

  /** A progress message for actions without their texts, because secrets are known only afterwards. */
  doing(inputs: readonly ActionInput[]): string {
    const all = inputs.flatMap((input) => {
      const { actions, failure } = normaliseAction(input);
      if (failure !== null && typeof input !== 'string') return [verbOfObject(input)];
      const actionTexts = actions.map((action) => printAction(mapTexts(action, () => '…')));
      return failure === null ? actionTexts : [...actionTexts, 'an invalid action'];
    });
    return this.text(all.join('; '));
  }

  #actions(action: NonNullable<Step['action']>, typedTexts: ReadonlySet<string>): NonNullable<Step['action']> {
    if (Array.isArray(action)) return action.map((one) => this.#action(one, typedTexts));
    return this.#action(action as ActionInput, typedTexts);
  }

  #action(input: ActionInput, typedTexts: ReadonlySet<string>): ActionInput {
    const maskedInput = maskValue(input, this.#hide);
    // A reprinted action can be longer than the line on disk.
    if (this.#overwrites) return maskedInput;
    const hide = (text: string): string => (typedTexts.has(text) ? UNNAMED : this.#hide(text));
    if (typeof maskedInput === 'string') {
      // A secret may be escaped in the action (`'\x68unter2'`). Then the action is reprinted.
      const { actions } = normaliseAction(maskedInput);
      const reads = actions.map((action) => mapTexts(action, hide));
      const isSame = reads.every((action, index) => JSON.stringify(action) === JSON.stringify(actions[index]));
      return isSame ? maskedInput : reads.map(printAction).join('\n');
    }
    const { text, keys } = maskedInput;
    return {
      ...maskedInput,
      ...(typeof text === 'string' ? { text: hide(text) } : {}),
      ...(Array.isArray(keys)
        ? { keys: keys.map((key) => (typeof key === 'string' ? hide(key) : (key as Json))) }
        : {}),
    };
  }
}

function mapValues<T>(record: Readonly<Record<string, T>>, change: (value: T) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}

function maskBytes(bytes: Uint8Array, hide: Write): Uint8Array {
  const text = Buffer.from(bytes).toString('utf8');
  const maskedText = hide(text);
  return maskedText === text ? bytes : Buffer.from(maskedText, 'utf8');
}

function isCharacter(text: string): boolean {
  return [...text].length === 1;
}

/**
 * What reasons and logs quote of an action that typed single characters into a password field: the action, and the value of
 * the field if it is one character. Without its quote, a character may be part of any word.
 */
function quotesOf(typedTexts: readonly string[], action: NonNullable<Step['action']>): Map<string, string> {
  const characters = typedTexts.filter(isCharacter);
  const write = (text: string): string => (characters.includes(text) ? UNNAMED : text);
  const actions = [action].flat().flatMap((input) => normaliseAction(input as ActionInput).actions);
  const prints = actions.map((one): [string, string] => [printAction(one), printAction(mapTexts(one, write))]);
  const values = characters.length < typedTexts.length ? [] : characters;
  return new Map([
    ...prints.filter(([before, after]) => before !== after),
    ...values.map((value): [string, string] => [excerpt(value), excerpt(UNNAMED)]),
  ]);
}

/** The action with its texts mapped. */
function mapTexts(action: NormalAction, write: (text: string) => string): NormalAction {
  switch (action.type) {
    case 'type':
    case 'insert':
    case 'fill':
    case 'response':
    case 'write_file':
      return { ...action, text: write(action.text) };
    case 'press':
    case 'key':
      // Names of keys are not texts.
      return { ...action, keys: action.keys.map((key) => (isCharacter(key) ? write(key) : key)) };
    case 'handle_dialog':
      return action.text === null ? action : { ...action, text: write(action.text) };
    case 'run':
      return { ...action, command: write(action.command) };
    case 'apply_patch':
      return { ...action, diff: write(action.diff) };
    default:
      return action;
  }
}

/** @param maskNumber replaces a number that contains a secret; without it, numbers are not masked */
function maskValue<T>(value: T, write: Write, maskNumber?: (digits: string, number: number) => unknown): T {
  if (typeof value === 'string') return write(value) as T;
  if (typeof value === 'number' && maskNumber !== undefined) {
    const maskedDigits = write(String(value));
    return maskedDigits === String(value) ? value : (maskNumber(maskedDigits, value) as T);
  }
  if (Array.isArray(value)) return value.map((one: unknown) => maskValue(one, write, maskNumber)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, maskValue(one, write, maskNumber)])) as T;
}

/** A number with the same digits, all nines. */
function nines(_: string, number: number): number {
  return Number(String(number).replace(/\d/g, '9'));
}

type Write = (text: string) => string;

/** Returns a function that masks texts. Masking twice has no further effect. */
function writer(names: ReadonlyMap<string, string>, overwrites: boolean, quotes = new Map<string, string>()): Write {
  const placeholders = [...new Set([...names.values(), ...quotes.values()])].map((name) => ({
    ...plainForm(name),
    name,
  }));
  const secrets = [...names].flatMap(([secret, name]) => formsOf(secret).map((form) => ({ ...form, name })));
  const quoteForms = [...quotes].map(([quote, name]) => ({ ...exactForm(quote), name }));
  // Longest first, so that no secret masks only the beginning of another.
  const forms = [...placeholders, ...secrets, ...quoteForms].toSorted((a, b) => b.length - a.length);
  if (forms.length === 0) return (text) => text;
  const any = new RegExp(forms.map(({ pattern }) => `(${pattern})`).join('|'), 'gu');
  return (text) =>
    text.replace(any, (match: string, ...groups: unknown[]) => {
      const { name = UNNAMED } = forms[groups.findIndex((group) => group !== undefined)] ?? {};
      return overwrites && name !== match ? '*'.repeat(bytesOf(match)) : name;
    });
}

/** Size of a text in a line of JSON, in bytes. */
function bytesOf(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}
