import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import * as l10n from '@vscode/l10n';
import type { Kind, ServerSource } from '../kind.ts';
import { type HudPlace, type HudSpec, readHud, whyNotRun } from './spec.ts';

/** An environment of HUD 0.6. */
export const hud: Kind = {
  name: 'hud',
  types: {},
  rowType: 'hud',
  whyUnsupported: whyNotRun,
  problems: ({ row }) => {
    if (row['gym'] === undefined) return [];
    const message =
      'Taskwright runs environments of HUD as HUD 0.6 writes its tasks: {"env": "name", "id": "template", "args": {}}';
    return [{ path: ['gym'], severity: 'information', code: 'environment-not-run', message }];
  },
  identity: ({ name = null, runtime_config = null }) => [name, runtime_config],
  provides: [],
  calls: 'environment',
  callLimit: 600_000,
  start: ({ template, args }) => ({ function: String(template), args: args === undefined ? [] : [args] }),
  gradesOnce: () => true,
  anyReward: true,
  templates: [],
  suggestedCalls: [],
  givesGoal: () => true,
  givesReward: () => true,
  dialect: () => 'mixed',
  responseEnds: true,
  view: { icon: 'box', shows: 'screenshot', keyboardTarget: l10n.t('Keyboard goes to the environment') },
  isRemote: true,
  rescoring: { refused: 'a HUD environment grades a task once, while it runs: run the task again to judge this' },
  reusesProcess: true,
  image: null,
  server: (spec, folder) => sourceOf(readHud(spec), folder),
  verifier(spec, folder) {
    const { verifier } = readHud(spec);
    return verifier === null || verifier.isBeside ? null : sourceOf(verifier, folder);
  },
  needsDocker(spec) {
    const { place, verifier } = readHud(spec);
    return isInDocker(place) || (verifier?.isBeside === false && isInDocker(verifier.place));
  },
};

function isInDocker({ kind }: HudPlace): boolean {
  return kind === 'image' || kind === 'compose';
}

function sourceOf({ place, startMs, resources }: Omit<HudSpec, 'verifier'>, folder: string): ServerSource | null {
  if (place.kind === 'address') return null;
  if (place.kind === 'image') return { hudImage: place.image, startMs, resources };
  if (place.kind === 'compose') return { hudCompose: resolve(folder, place.document), startMs, resources };
  const { name } = place;
  const own = basename(name) === name ? [join(folder, name, 'env.py')] : [];
  const path = [...own, join(folder, 'env.py')].find((file) => existsSync(file)) ?? folder;
  return { hud: path, name, startMs, resources };
}
