import * as l10n from '@vscode/l10n';
import { flag, object, text } from '../../tasks/key-docs.ts';
import { placeholder, unquotedPlaceholder } from '../../tasks/snippet.ts';
import type { Kind } from '../kind.ts';
import { codingProblems } from './problems.ts';

/** A folder of files in which the agent runs commands. */
export const coding: Kind = {
  name: 'coding',
  types: {
    coding: {
      doc: 'A folder of files (`files`, `folder` or `git`) in which the agent reads, writes, and runs commands. It is sandboxed in Docker, but not on this machine. This version runs it.',
      written: 'object',
      keys: {
        type: text('The kind of environment.', 'coding'),
        files: object('The files that the task begins with: their text by path.', { 'main.py': 'print(1)\n' }),
        folder: text('A folder next to the task file. Each run starts with a copy of it.', 'project'),
        git: text(
          'A repository: its URL, or its path next to the task file. The run starts with its files and a history of one commit.',
          'https://example.com/project.git',
        ),
        commit: text('What to fetch from the repository: a full hash, a tag, or a branch.', 'v1.0'),
        submodules: flag(
          'Whether to fetch the submodules of the repository, too. By default, their folders are empty.',
          true,
        ),
      },
      suggestedKeys: ['folder'],
    },
  },
  problems: codingProblems,
  provides: ['files', 'changes'],
  calls: 'functions',
  templates: [
    {
      label: l10n.t('task with files'),
      detail: 'coding',
      doc: l10n.t('A task in a folder of files.'),
      task: {
        id: placeholder('id'),
        prompt: placeholder('What the agent should do'),
        gym: { type: 'coding', folder: placeholder('./project') },
        evaluate: [unquotedPlaceholder()],
      },
    },
  ],
  suggestedCalls: [
    { function: 'file_contains', args: ['main.py', 'text'] },
    { function: 'command_succeeds', args: ['python3 main.py'] },
    { function: 'response_includes', args: ['the answer'] },
  ],
  tools: 'files',
  view: { icon: 'folder', shows: 'files', keyboardTarget: l10n.t('Keyboard goes to the page') },
  rescoring: 'partial',
  reusesProcess: true,
  image: { name: 'coding', startsBrowser: false, agentCommands: true },
  localWarning:
    'Commands of coding tasks run on this machine with your permissions. To isolate them, use --placement docker.',
};
