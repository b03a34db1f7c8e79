import type { LogLines } from '../../base/log-lines.ts';
import { patient } from '../../base/patience.ts';
import { withTimeout } from '../../base/timeout.ts';
import { HudSession } from '../../environments/hud/session.ts';
import type { ImageService } from '../image-service.ts';
import type { ReportedError } from '../placement.ts';
import { Tracebacks } from './traceback.ts';

/** The port that the `Dockerfile.hud` of HUD's templates serves on. */
export const HUD_PORT = 8765;
/** Without these HUD sends what runs here to its makers. */
export const NO_TELEMETRY = { HUD_TELEMETRY_ENABLED: 'false', HUD_CLI_ANALYTICS_ENABLED: 'false' } as const;
const PAUSE = 100;
/** How long a server that says that it is ready may take to be reached, in ms. */
const REACH_LIMIT = patient(5_000);
/** How long the container of a lost environment may take to be reported as ended, in ms. */
const END_LIMIT = 2_000;

/** How an image serves a HUD environment. `startMs`: time limit for its start. */
export function hudImageService(startMs: number): ImageService {
  return {
    what: 'HUD environment',
    port: HUD_PORT,
    scheme: 'tcp',
    variables: NO_TELEMETRY,
    async ready({ address, logLines, exit, signal }) {
      const exclusive = await untilServed(address, logLines, exit, startMs, signal);
      return { exclusive, explain: explainer(logLines, () => lastWords(logLines, exit)) };
    },
  };
}

/** The port in a line that a server of HUD prints when it is ready; null if it is another line. */
export function announcedPort(line: string): number | null {
  const [, port] = /^HUD_SERVE_PORT=(\d+)\s*$/.exec(line) ?? [];
  return port === undefined ? null : Number(port);
}

/** Whether a server of HUD serves one run at a time. Rejects if it cannot be reached. */
export async function holdsOneTask(address: string): Promise<boolean> {
  const session = await HudSession.open(address);
  await session.close();
  return session.holdsOneTask;
}

/** `StartedServer.explain` of a server of HUD. `lastWords`: how it ended, if it has. */
export function explainer(logLines: LogLines, lastWords: () => Promise<string | null>) {
  const tracebacks = new Tracebacks(logLines);
  return ({ code, message }: ReportedError): Promise<string | null> =>
    code === 'environment_lost' || code === 'environment_unreached' ? lastWords() : tracebacks.find(message);
}

/** How the container ended, with its last output; null if it does not end. */
async function lastWords(logLines: LogLines, exit: Promise<string>): Promise<string | null> {
  const how = await withTimeout(END_LIMIT, exit);
  return how === null ? null : `The HUD environment ${how}.${logLines.lastOutput('\n')}`;
}

/** Resolves when the server answers, with whether it holds one task. Rejects with the end of a sentence. */
async function untilServed(
  address: string,
  logLines: LogLines,
  exit: Promise<string>,
  startMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  let end: string | null = null;
  void exit.then((how) => {
    end = how;
  });
  let late = performance.now() + startMs;
  let announcement: number | null = null;
  while (performance.now() < late) {
    signal.throwIfAborted();
    try {
      return await holdsOneTask(address);
    } catch {
      // The port is open before the server is.
    }
    if (end !== null) throw new Error(end);
    if (announcement === null) {
      announcement = logLines.lines.map(announcedPort).find((port) => port !== null) ?? null;
      if (announcement !== null) late = Math.min(late, performance.now() + REACH_LIMIT);
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
  if (announcement === null) throw new Error(`was not ready within ${startMs / 1000} s`);
  throw new Error(`cannot be reached. Its image must serve with --host 0.0.0.0 --port ${HUD_PORT}`);
}
