import { createHash } from 'node:crypto';
import type { Json } from '../base/json.ts';
import type { OpenDialog, Picture } from '../environments/environment.ts';
import type { RecordedState } from '../environments/recorded.ts';
import type { Step } from './trace.ts';

export type RecordedPicture = Pick<Picture, 'type' | 'data'>;

/** Maximum size of a picture that is shown or exported; screenshots have a few million bytes at most. */
export const MAX_PICTURE_BYTES = 64_000_000;

/** A step before it gets its index, and its picture a file name. */
export type NewStep = Omit<Step, 'index' | 'observation'> & {
  readonly observation: {
    readonly text: string | null;
    readonly screenshot: RecordedPicture | null;
    readonly data?: Json;
    readonly dialog?: OpenDialog;
  } | null;
  /** Contents of files in `files/` by name. They are not part of the line. */
  readonly contents?: Readonly<Record<string, Uint8Array>>;
  /** State for `pages.br`. It is not part of the line. */
  readonly recorded?: RecordedState;
};

/** The name of a picture in its run's folder. */
export function pictureName({ type, data }: RecordedPicture): string {
  return `screens/${createHash('sha256').update(data).digest('hex')}.${type}`;
}

/** Path of a text of `info.changes` in its run's folder. */
export function contentName(name: string): string {
  return `files/${name}`;
}

/** The step as written to the trace. */
export function numberStep({ observation, contents: _, recorded: __, ...rest }: NewStep, index: number): Step {
  if (observation === null) return { index, ...rest, observation };
  const { screenshot } = observation;
  return { index, ...rest, observation: { ...observation, screenshot: screenshot && pictureName(screenshot) } };
}
