import { ACTION_DOCS } from '../../actions/docs.ts';
import {
  ACTION_FUNCTIONS,
  type ActionFunction,
  actionSignature,
  actionSnippet,
  isActionFunction,
  isBrowserGymFunction,
} from '../../actions/signatures.ts';

/** What is said of a name in a line of a solution: Markdown, and the columns of the name. */
export interface SolutionHover {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The description of the action whose name stands at a column of a line; null where there is none. */
export function solutionHover(line: string, character: number): SolutionHover | null {
  if (/^\s*(?:#|\/\/)/.test(line)) return null;
  for (const { 0: name, index } of line.matchAll(/[A-Za-z_]+(?=\s*\()/g)) {
    const end = index + name.length;
    if (character < index || character > end) continue;
    return isActionFunction(name) ? { start: index, end, text: actionDoc(name) } : null;
  }
  return null;
}

/** One action as it can be written at the beginning of a line. */
export interface SolutionCompletion {
  readonly name: ActionFunction;
  /** Those that it needs: `(bid, value)`. */
  readonly parameters: string;
  /** The call with tab stops, in VS Code's notation of snippets. */
  readonly snippet: string;
  /** Markdown. */
  readonly doc: string;
}

/** The actions that can be written at a column of a line: all of them where nothing but a part of a name stands. */
export function solutionCompletions(line: string, character: number): readonly SolutionCompletion[] {
  if (!/^\s*\w*$/.test(line.slice(0, character)) || /^\w*\s*\(/.test(line.slice(character))) return [];
  return ACTION_FUNCTIONS.map((name) => ({
    name,
    parameters: actionSignature(name)
      .slice(name.length)
      .replace(/(?:, )?\w+=.*\)$/, ')'),
    snippet: actionSnippet(name),
    doc: actionDoc(name),
  }));
}

function actionDoc(name: ActionFunction): string {
  const own = isBrowserGymFunction(name) ? '' : '\n\nOnly in Taskwright: BrowserGym has no such function.';
  return `\`\`\`python\n${actionSignature(name)}\n\`\`\`\n\n${ACTION_DOCS[name]}${own}`;
}
