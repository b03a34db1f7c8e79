import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import * as l10n from '@vscode/l10n';
import { list, object, text } from '../../tasks/key-docs.ts';
import type { Kind } from '../kind.ts';
import { NOT_RECORDED, readCustom } from './spec.ts';

/** An environment of the user, with a controller of HUD 0.2. */
export const custom: Kind = {
  name: 'custom',
  types: {
    public: {
      doc: 'An environment of your own, as in HUD 0.2: its controller, in Python, is called for setup, steps, and evaluate. This version runs it: an image in Docker; a folder in Docker, or with python3 without Docker.',
      written: 'object',
      keys: {
        type: text('The kind of environment.', 'public'),
        location: text(
          'Where it runs: `local`; or `remote`, which is the cloud of HUD there and the configured Docker host here.',
          'local',
          { required: true },
        ),
        image_or_build_context: text(
          'The name of an image; or, if it starts like a path (`./`), the folder of the build context next to the task file.',
          './controller',
          {
            required: true,
            hud: 'Since HUD 0.2.5. From JSON it reads the name of an image only; a folder is a `Path` in Python.',
          },
        ),
        host_config: object(
          'The part of Docker’s HostConfig that limits the container: `Memory`, `NanoCpus`, `PidsLimit`, `ShmSize`, `NetworkMode`, and the like. Whatever opens the machine to the container is refused.',
          { ShmSize: 536_870_912 },
          { hud: 'Since HUD 0.2.7; refused if the location is `remote`.' },
        ),
        dockerfile: text('The content of a Dockerfile.', 'FROM python:3.12-slim', { hud: 'Up to HUD 0.2.4.' }),
        ports: list(
          'Ports of the environment. None is opened here: a controller is called through Docker.',
          [8080],
          'list of numbers',
        ),
        controller_source_dir: text('The folder of the controller.', './controller', { hud: 'Up to HUD 0.2.4.' }),
      },
      values: { location: () => [{ value: 'local' }, { value: 'remote' }] },
    },
    docker: {
      doc: 'An image (`image_uri`) with a controller of HUD 0.2 in it. This version runs it in Docker.',
      written: 'either',
    },
  },
  provides: [],
  calls: 'environment',
  templates: [],
  suggestedCalls: [],
  view: { icon: 'box', shows: 'screenshot', keyboardTarget: l10n.t('Keyboard goes to the page') },
  isRemote: true,
  rescoring: { refused: NOT_RECORDED },
  reusesProcess: false,
  image: null,
  needsDocker(spec, folder) {
    const { context, image, location } = readCustom(spec);
    if (location === 'remote') return true;
    return context === null && image !== null && !existsSync(resolve(folder, image));
  },
};
