import type { RuleCode } from '../../rules/rules.ts';
import type { TextProblem } from '../source.ts';
import { MARK, NAME, type Tokens } from './tokens.ts';

export interface PythonProblem extends TextProblem {
  /** What lacks its end, which hides or causes other problems. */
  readonly unclosed?: 'string' | 'bracket';
}

/** Reads a range of a text's tokens, even if the syntax is broken. All offsets are relative to `base`. */
export class TokenReader {
  readonly problems: PythonProblem[] = [];
  /** Index of the next token. */
  at: number;
  protected readonly tokens: Tokens;
  /** Index of the first token that is not read. */
  protected readonly limit: number;
  readonly #base: number;

  constructor(tokens: Tokens, at: number, limit: number, base: number) {
    this.tokens = tokens;
    this.at = at;
    this.limit = limit;
    this.#base = base;
  }

  /** Reads a bracketed list. `item` reads one item and gets the offset of the comma after it. */
  protected items(
    close: string,
    item: () => (comma: number | null) => void,
  ): { from: number; to: number; loops: boolean } {
    const open = this.at;
    this.at += 1;
    const from = this.endOf(open);
    let loops = false;
    let missing = true;
    while (this.at < this.limit) {
      if (this.is(close)) {
        const to = this.start(this.at);
        this.at += 1;
        return { from, to, loops };
      }
      if (this.tokens.bracket(this.at) === -1) break;
      if (this.is(',')) {
        if (missing) this.problem(this.at, 'syntax', 'Expected a value before this comma');
        this.at += 1;
        missing = true;
        continue;
      }
      if (this.is('for') || this.is('async')) {
        loops = true;
        while (this.at < this.limit && this.tokens.bracket(this.at) !== -1) this.#step();
        continue;
      }
      if (!missing) this.problem(this.at, 'syntax', 'Expected a comma before this');
      const before = this.at;
      const finish = item();
      if (this.at === before) {
        this.problem(this.at, 'syntax', 'Invalid Python syntax');
        this.at += 1;
      }
      finish(this.is(',') ? this.start(this.at) : null);
      missing = this.is(',');
      if (missing) this.at += 1;
    }
    const last = Math.max(open, this.at - 1);
    const word = this.tokens.word(open);
    this.reportUnclosed(open, 'bracket', `This “${word}” is not closed. Expected “${close}”`);
    return { from, to: Math.max(from, this.endOf(last)), loops };
  }

  /** Skips one token, everything inside a bracket, or the parameters of a lambda. */
  #step(): void {
    const isLambda = this.is('lambda');
    const close = this.tokens.bracket(this.at) === 1 ? this.tokens.matching(this.at, this.limit) : this.at;
    this.at = close === -1 ? this.limit : close + 1;
    if (!isLambda) return;
    while (this.at < this.limit && !this.is(':') && this.tokens.bracket(this.at) !== -1) this.#step();
    if (this.is(':')) this.at += 1;
  }

  /** Skips the rest of an expression whose value does not matter. */
  protected skip(): void {
    for (let first = true; this.at < this.limit; first = false) {
      if (this.tokens.bracket(this.at) === -1 || this.is(',') || this.is('=') || this.is(':')) return;
      if (this.is('for') || this.is('async')) return;
      // A comma is missing, and the next argument begins.
      const isArgument = this.tokens.kind(this.at) === NAME && this.tokens.is(this.at + 1, '=');
      if (!first && isArgument && this.tokens.kind(this.at - 1) !== MARK) return;
      this.#step();
    }
  }

  protected is(word: string): boolean {
    return this.at < this.limit && this.tokens.is(this.at, word);
  }

  protected start(index: number): number {
    return (index < this.limit ? this.tokens.start(index) : this.tokens.end(this.limit - 1)) - this.#base;
  }

  protected endOf(index: number): number {
    return this.tokens.end(index) - this.#base;
  }

  /** Offset after the last token that was read. */
  protected before(): number {
    return this.endOf(this.at - 1);
  }

  protected problem(index: number, code: RuleCode, message: string, severity: 'error' | 'warning' = 'error'): void {
    const start = this.start(index);
    this.problems.push({ start, end: index < this.limit ? this.endOf(index) : start, severity, code, message });
  }

  protected reportUnclosed(index: number, element: 'string' | 'bracket', message: string): void {
    const [start, end] = [this.start(index), this.endOf(index)];
    this.problems.push({ start, end, severity: 'error', code: 'syntax', message, unclosed: element });
  }
}
