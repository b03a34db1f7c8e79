import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describeSystemError } from '../../../tasks/system-error.ts';
import { TraceError } from '../../store/trace-file.ts';
import type { HudRun } from './hud-run.ts';
import { BrokenFileError, type ForeignJson, readJson } from './read-json.ts';
import { looksLikeSpan, readHudTrace } from './trace.ts';
import { looksLikeTrajectory, readTrajectories } from './trajectory.ts';

const START = { line: 0, character: 0 };
/** Pictures make such files large; what is larger was not meant to be looked at. */
const MAX_BYTES = 256_000_000;

/**
 * The runs that a file of HUD's tells of: a `Trajectory` of 0.2 or a list of them, or a trace of 0.6. Nothing is fetched.
 * Throws `TraceError`, whose words name the place.
 */
export async function readHudFile(path: string): Promise<readonly HudRun[]> {
  const file = resolve(path);
  let bytes: Buffer;
  let readAt: string;
  try {
    const about = await stat(file);
    if (about.size > MAX_BYTES) {
      throw new TraceError('trace_broken', `${file} has ${Math.ceil(about.size / 1e6)} MB: at most 256 MB are read.`);
    }
    readAt = about.mtime.toISOString();
    bytes = await readFile(file);
  } catch (error) {
    if (error instanceof TraceError) throw error;
    throw new TraceError('trace_missing', `There is no file that can be read: ${describeSystemError(error)}`);
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new TraceError('trace_broken', `${file} is not UTF-8, so it is no run of HUD's.`);
  }
  return readHudText(text, file, readAt);
}

/**
 * As `readHudFile`, of a text.
 * @param readAt the time of what has none of its own
 */
export function readHudText(text: string, file: string, readAt: string): readonly HudRun[] {
  const json: ForeignJson = { file, text: text.replace(/^\uFEFF/, ''), firstLine: 0 };
  if (looksLikeTrace(json.text)) return [readHudTrace(json.text, file, readAt)];
  const value = readJson(json);
  if (looksLikeSpan(value)) return [readHudTrace(JSON.stringify(value), file, readAt)];
  if (Array.isArray(value) && value.length === 0) {
    throw new BrokenFileError(file, START, 'this list holds no trajectory');
  }
  if (!looksLikeTrajectory(value)) {
    throw new BrokenFileError(
      file,
      START,
      'this is no run that can be shown: neither a trajectory of HUD 0.2, which has "trajectory", nor a trace of HUD 0.6',
    );
  }
  return readTrajectories(value, json, readAt);
}

/** Whether the first line is a span by itself, or the beginning of one. */
function looksLikeTrace(text: string): boolean {
  const [first = ''] = text.trimStart().split('\n', 1);
  try {
    return looksLikeSpan(JSON.parse(first));
  } catch {
    // JSON over several lines, or broken: the reading of the whole says which.
    return false;
  }
}
