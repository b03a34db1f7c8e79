import { AROUND_THE_AGENT } from './around-the-agent.ts';
import type { Attack } from './attack.ts';
import { DENY } from './deny.ts';
import { ESCAPE } from './escape.ts';
import { EXHAUST } from './exhaust.ts';
import { FLOODS } from './floods.ts';
import { FORGE } from './forge.ts';
import { HOSTILE_FILES } from './hostile-files.ts';
import { HOSTILE_PAGES } from './hostile-pages.ts';
import { LEARN } from './learn.ts';
import { OUTLIVE } from './outlive.ts';
import { OUTSIDE } from './outside.ts';

/** All attacks. */
export const CORPUS: readonly Attack[] = [
  ...LEARN,
  ...FORGE,
  ...ESCAPE,
  ...OUTLIVE,
  ...EXHAUST,
  ...DENY,
  ...AROUND_THE_AGENT,
  ...HOSTILE_FILES,
  ...FLOODS,
  ...HOSTILE_PAGES,
  ...OUTSIDE,
];
