import type { DebugProtocol } from '@vscode/debugprotocol';
import type { Variable } from './stopped-state.ts';

/** Longer texts are shown cut, and whole where they are copied. */
const SHOWN_LENGTH = 2_000;

/** What can be unfolded at a stop, by the numbers that a client knows it by. Forgotten when the run goes on. */
export class Variables {
  readonly #parts: (readonly Variable[] | (() => Promise<readonly Variable[]>))[] = [];

  clear(): void {
    this.#parts.length = 0;
  }

  /**
   * The number that parts are asked for by; never 0, which means that there are none. Parts that take time are worked out
   * when they are asked for.
   */
  keep(parts: readonly Variable[] | (() => Promise<readonly Variable[]>)): number {
    return this.#parts.push(parts);
  }

  async find(reference: number, name: string): Promise<Variable | undefined> {
    return (await this.#of(reference)).find((shown) => shown.name === name);
  }

  async list(reference: number): Promise<DebugProtocol.Variable[]> {
    return (await this.#of(reference)).map((shown) => ({
      ...this.describe(shown),
      name: shown.name,
      ...(shown.expression === undefined ? {} : { evaluateName: shown.expression }),
      ...(shown.set === undefined ? { presentationHint: { attributes: ['readOnly'] } } : {}),
    }));
  }

  async #of(reference: number): Promise<readonly Variable[]> {
    const parts = this.#parts[reference - 1] ?? [];
    return typeof parts === 'function' ? await parts() : parts;
  }

  /** A value in one line, and the number that its parts are asked for by. */
  describe({ value, parts, expression }: Pick<Variable, 'value' | 'parts' | 'expression'>): {
    value: string;
    type: string;
    variablesReference: number;
  } {
    const inner = parts ?? partsOf(value, expression);
    return {
      value: line(value),
      type: value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value,
      variablesReference: inner.length === 0 ? 0 : this.keep(inner),
    };
  }
}

function partsOf(value: unknown, expression: string | undefined): Variable[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).map(([name, part]): Variable => {
    const key = Array.isArray(value)
      ? `[${name}]`
      : /^[A-Za-z_]\w*$/.test(name)
        ? `.${name}`
        : `[${JSON.stringify(name)}]`;
    return { name, value: part, ...(expression === undefined ? {} : { expression: expression + key }) };
  });
}

function line(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
}
