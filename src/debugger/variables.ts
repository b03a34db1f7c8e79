import type { DebugProtocol } from '@vscode/debugprotocol';
import { defined } from '../base/defined.ts';
import type { Variable } from './stopped-state.ts';

/** Longer values are truncated in the view. Copying a value gives all of it. */
const SHOWN_LENGTH = 2_000;

/** The values that can be expanded at a stop, by variable reference. Cleared when the run continues. */
export class Variables {
  readonly #parts: (readonly Variable[] | (() => Promise<readonly Variable[]>))[] = [];

  clear(): void {
    this.#parts.length = 0;
  }

  /**
   * Returns the variable reference for children; never 0, which means “no children”. Children that take time are
   * computed on demand.
   */
  create(parts: readonly Variable[] | (() => Promise<readonly Variable[]>)): number {
    return this.#parts.push(parts);
  }

  async find(reference: number, name: string): Promise<Variable | undefined> {
    return (await this.#of(reference)).find((variable) => variable.name === name);
  }

  async list(reference: number): Promise<DebugProtocol.Variable[]> {
    return (await this.#of(reference)).map((variable) => ({
      ...this.describe(variable),
      name: variable.name,
      ...defined({ evaluateName: variable.expression }),
      ...(variable.set === undefined ? { presentationHint: { attributes: ['readOnly'] } } : {}),
    }));
  }

  async #of(reference: number): Promise<readonly Variable[]> {
    const parts = this.#parts[reference - 1] ?? [];
    return typeof parts === 'function' ? await parts() : parts;
  }

  /** A value as one line of text, with the reference of its children. */
  describe({ value, parts, expression }: Pick<Variable, 'value' | 'parts' | 'expression'>) {
    const children = parts ?? partsOf(value, expression);
    return {
      value: line(value),
      type: value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value,
      variablesReference: children.length === 0 ? 0 : this.create(children),
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
    return { name, value: part, ...defined({ expression: expression && expression + key }) };
  });
}

function line(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
}
