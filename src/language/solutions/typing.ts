import { ACTION_DOCS } from '../../actions/docs.ts';
import {
  ACTION_FUNCTIONS,
  type ActionFunction,
  actionSignature,
  actionSnippet,
  isActionFunction,
  isBrowserGymFunction,
} from '../../actions/signatures.ts';

/** The description of a name in a solution: Markdown, and the columns of the name. */
export interface SolutionHover {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The description of the action whose name is at a column of a line; null if there is none. */
export function solutionHover(line: string, character: number): SolutionHover | null {
  if (/^\s*(?:#|\/\/)/.test(line)) return null;
  for (const { 0: name, index } of line.matchAll(/[A-Za-z_]+(?=\s*\()/g)) {
    const end = index + name.length;
    if (character < index || character > end) continue;
    return isActionFunction(name) ? { start: index, end, text: actionDoc(name) } : null;
  }
  return null;
}

/** A completion of an action. */
export interface SolutionCompletion {
  readonly name: ActionFunction;
  /** The required arguments: `(bid, value)`. */
  readonly parameters: string;
  /** The call with tab stops, in VS Code's snippet syntax. */
  readonly snippet: string;
  /** Markdown. */
  readonly doc: string;
}

/** The completions at a column of a line: all actions, if the text before it is part of a name or empty. */
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
  const own = isBrowserGymFunction(name) ? '' : '\n\nOnly in Taskwright. BrowserGym does not have this function.';
  return `\`\`\`python\n${actionSignature(name)}\n\`\`\`\n\n${ACTION_DOCS[name]}${own}`;
}
