import { createHash } from 'node:crypto';
import type { Picture } from '../../environments/environment.ts';
import type { RecordedState } from '../../environments/recorded.ts';
import type { Step } from './trace.ts';

export type RecordedPicture = Pick<Picture, 'type' | 'data'>;

/** A larger picture is neither shown nor exported, in bytes: those of a screen have at most a few million. */
export const MOST_PICTURE = 64_000_000;

/** A step before it has a number and its picture a name. */
export type NewStep = Omit<Step, 'index' | 'observation'> & {
  readonly observation: { readonly text: string | null; readonly screenshot: RecordedPicture | null } | null;
  /** What stands in `files/`, by its names, not in the line. */
  readonly contents?: Readonly<Record<string, Uint8Array>>;
  /** What stands in `pages.br`, not in the line. */
  readonly recorded?: RecordedState;
};

/** The name of a picture in its run's folder. */
export function pictureName({ type, data }: RecordedPicture): string {
  return `screens/${createHash('sha256').update(data).digest('hex')}.${type}`;
}

/** Where a text that `info.changes` names stands in its run's folder. */
export function contentName(name: string): string {
  return `files/${name}`;
}

/** A step as it stands in the trace. */
export function numbered({ observation, contents: _, recorded: __, ...rest }: NewStep, index: number): Step {
  if (observation === null) return { index, ...rest, observation };
  const { text, screenshot } = observation;
  return { index, ...rest, observation: { text, screenshot: screenshot === null ? null : pictureName(screenshot) } };
}
