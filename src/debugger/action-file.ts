import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Range } from '../base/range.ts';
import { actionLines } from '../language/solutions/lines.ts';

/** An action in an `.actions` file. */
export interface ActionSource {
  readonly file: string;
  readonly range: Range;
}

/** An `.actions` file: each action is one answer of the agent that replays it. */
export class ActionFile {
  readonly path: string;
  readonly #actions: readonly { readonly range: Range; readonly text: string }[];

  /** Rejects with a system error. */
  static async open(path: string): Promise<ActionFile> {
    return new ActionFile(path, await readFile(path, 'utf8'));
  }

  /** The file that an agent replays; null if the agent is another one, or the file cannot be read. */
  static async forAgent(agent: string, cwd: string): Promise<ActionFile | null> {
    const file = /^replay:(.*\.actions)$/.exec(agent)?.[1];
    // The agent reports an unreadable file.
    return file === undefined ? null : await ActionFile.open(resolve(cwd, file)).catch(() => null);
  }

  private constructor(path: string, text: string) {
    this.path = path;
    this.#actions = [...actionLines(text)].map(({ line, indent, text: action }) => {
      const start = { line, character: indent };
      return { range: { start, end: { line, character: indent + action.length } }, text: action };
    });
  }

  /** The first action at or after a line, with its step from 1; undefined if there is none. */
  actionAt(line: number): { readonly step: number; readonly range: Range } | undefined {
    const index = this.#actions.findIndex(({ range }) => range.start.line >= line);
    const action = this.#actions[index];
    return action && { step: index + 1, range: action.range };
  }

  /** The position of the action of a step; null if the file has a different action there now. */
  sourceOf(step: number, text: string): ActionSource | null {
    const action = this.#actions[step - 1];
    const isSame = action !== undefined && (action.text.startsWith('{') || action.text === text);
    return isSame ? { file: this.path, range: action.range } : null;
  }
}
