import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import * as l10n from '@vscode/l10n';
import type { KnownFile } from '../../environments/known-file.ts';
import { AgentError } from '../agent-error.ts';
import type { AgentKind } from '../agent-kind.ts';
import { splitWords } from './command-line.ts';

/** A program in any language that exchanges lines of JSON. */
export const processKind: AgentKind = {
  name: 'process',
  syntax: ['process:COMMAND'],
  label: l10n.t('Process…'),
  description: l10n.t('A program in any language that reads and writes lines of JSON'),
  icon: 'terminal',
  argument: {
    type: 'command',
    title: l10n.t('Agent Command'),
    prompt: l10n.t('The program reads one observation per line from standard input and writes one action per line.'),
    placeholder: 'python agent.py --model small',
  },
  forManyTasks: true,
  describe: (command) => l10n.t('process {0}', command),
  parse: (text, cwd) => {
    const [command, ...args] = splitWords(text) ?? [];
    if (command === undefined) {
      throw new AgentError('agent_unknown', `The command has an unclosed quote: ${text}`);
    }
    return {
      files: filesIn([command, ...args], cwd),
      open: async (context) => (await import('./process.ts')).processAgent(command, args, context),
    };
  },
};

/** The words of a command that are files. */
function filesIn(words: readonly string[], cwd: string): KnownFile[] {
  return words
    .map((word) => resolve(cwd, word))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true)
    .map((path) => ({ path, role: 'agent' }));
}
