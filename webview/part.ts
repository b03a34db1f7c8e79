import type { PanelStep } from '../src/presentation/runs/messages.ts';
import { formatReward } from '../src/results/reward.ts';
import { withCodeSpans } from './code-spans.ts';
import { el } from './dom.ts';
import { icon } from './icons.ts';
import { outcomeIcon, outcomeOf } from './words.ts';

/** A part of an evaluate call's value. */
export function drawPart({ name, value, reason }: PanelStep['parts'][number]): HTMLElement {
  const outcome = outcomeOf(value, false);
  return el(
    'span',
    { class: 'block' },
    el('span', { class: `is-${outcome} tone` }, icon(outcomeIcon[outcome]), formatReward(value)),
    ` ${name}`,
    reason !== '' && el('span', { class: 'dim' }, ' ', ...withCodeSpans(reason)),
  );
}
