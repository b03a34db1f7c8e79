// npm run bench: figures as ratios against a peer or a limit measured in the same run. Medians.
import { activation } from './activation.ts';
import { attacks } from './attacks.ts';
import { coding } from './coding.ts';
import { debugging } from './debugger.ts';
import { desktop } from './desktop.ts';
import { docker } from './docker.ts';
import { editing } from './editing.ts';
import { type Figure, holds, printFigure } from './figures.ts';
import { firstFrame } from './first-frame.ts';
import { hud } from './hud.ts';
import { jobs } from './jobs.ts';
import { limits } from './limits.ts';
import { liveView } from './live-view.ts';
import { miniwob } from './miniwob.ts';
import { openenv } from './openenv.ts';
import { rescore } from './rescore.ts';
import { scale } from './scale.ts';
import { serving } from './serving.ts';
import { step } from './step.ts';
import { typing } from './typing.ts';

/** A bench that takes long gives each figure as soon as it has it. */
const benches: Record<string, () => Promise<readonly Figure[]> | AsyncIterable<Figure>> = {
  step,
  'first-frame': firstFrame,
  'live-view': liveView,
  miniwob,
  openenv,
  hud,
  serving,
  docker,
  desktop,
  coding,
  jobs,
  scale,
  attacks,
  rescore,
  debugger: debugging,
  activation,
  editing,
  typing,
  limits,
};
const names = process.argv.slice(2);
const unknown = names.filter((name) => !(name in benches));
if (unknown.length > 0) {
  console.error(`Unknown benchmark: ${unknown.join(', ')}. Benchmarks: ${Object.keys(benches).join(', ')}.`);
  process.exit(2);
}
let misses = 0;
for (const [name, bench] of Object.entries(benches)) {
  if (names.length > 0 && !names.includes(name)) continue;
  for await (const figure of await bench()) {
    console.log(printFigure(figure));
    if (!holds(figure)) misses += 1;
  }
}
if (misses > 0) console.log(`${misses} missed`);
