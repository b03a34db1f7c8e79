import { resolve } from 'node:path';
import * as l10n from '@vscode/l10n';
import { number, object, text } from '../../tasks/key-docs.ts';
import { placeholder, unquotedPlaceholder } from '../../tasks/snippet.ts';
import type { Kind } from '../kind.ts';
import { openEnvProblems } from './problems.ts';
import { readOpenEnv } from './spec.ts';

/** An environment that is served by OpenEnv. */
export const openenv: Kind = {
  name: 'openenv',
  types: {
    openenv: {
      doc: 'An OpenEnv environment: a running server (`url`), an image (`image`), or a folder with an `openenv.yaml` (`folder`). Actions are JSON objects in the form of the environment. This version runs it.',
      written: 'object',
      keys: {
        type: text('The kind of environment.', 'openenv'),
        url: text('The address of a running OpenEnv server.', 'http://localhost:8000'),
        image: text('An image that serves OpenEnv on port 8000. It runs in Docker.', 'echo-env:latest'),
        folder: text(
          'A folder with an `openenv.yaml`, relative to the task file. Its server is started with `python -m uvicorn`.',
          './my_env',
        ),
        python: text(
          'The Python interpreter for `folder`; by default that of the virtual environment `.venv` at or above the folder, else `python3`.',
          './.venv/bin/python',
        ),
        reset: object(
          'Arguments of the environment’s `reset`: `seed`, `episode_id`, and those that only this environment has.',
          { seed: 1 },
        ),
        task: {
          doc: 'A task of the environment, by its id or as an object: passed to `reset` as `task`. A run warns if the server ignores it.',
          shape: 'string or object',
          example: 'level-1',
        },
        timeout: number('Seconds that the environment may take for an answer; 60 by default.', 60),
      },
      suggestedKeys: ['url'],
    },
  },
  problems: openEnvProblems,
  provides: ['episode'],
  calls: 'functions',
  templates: [
    {
      label: l10n.t('task in an OpenEnv environment'),
      detail: 'openenv',
      doc: l10n.t('A task in an environment that is served by OpenEnv.'),
      task: {
        id: placeholder('id'),
        prompt: placeholder('What the agent should do'),
        gym: { type: 'openenv', url: placeholder('http://localhost:8000') },
        evaluate: [unquotedPlaceholder()],
      },
    },
  ],
  suggestedCalls: [
    { function: 'observation_matches', args: ['message', 'text'] },
    { function: 'state_matches', args: ['step_count', '1'] },
    { function: 'response_includes', args: ['the answer'] },
  ],
  givesGoal: () => true,
  givesReward: () => true,
  dialect: () => 'object',
  view: { icon: 'box', shows: 'screenshot', keyboardTarget: l10n.t('Keyboard goes to the environment') },
  isRemote: true,
  rescoring: 'response',
  reusesProcess: true,
  image: null,
  server(spec, folder) {
    const read = readOpenEnv(spec);
    if ('problems' in read || read.place.kind === 'url') return null;
    if (read.place.kind === 'image') return { image: read.place.image };
    const { python } = read.place;
    return { folder: resolve(folder, read.place.folder), python: python === null ? null : resolve(folder, python) };
  },
  hasOwnTasks: true,
  needsDocker: ({ image }) => typeof image === 'string' && image !== '',
};
