import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { StepResult } from '../environments/environment.ts';
import type { CallOutcome, Method, Params } from '../server/protocol.ts';
import type { Results, ServerEvent } from '../server/results.ts';
import { type EnvironmentServer, ServerError } from './placement.ts';

/**
 * Wraps a server that sees the folder of the task under another path. Replaces that path with the local path in errors,
 * stacks, reasons, the log, and console messages. Observations are not changed.
 */
export function withLocalPaths(server: EnvironmentServer, folder: string): EnvironmentServer {
  let localize: (text: string) => string = (text) => text;
  const setServerFolder = (serverFolder: string): void => {
    localize = localPaths(serverFolder, folder);
  };
  return {
    whenEnded: server.whenEnded.then((end) => ({ ...end, message: localize(end.message) })),
    dispose: () => server.dispose(),
    reach: (port) => server.reach(port),
    onEvent: (listener) => server.onEvent((event) => listener(localizeEvent(event, localize))),
    request: async <M extends Method>(method: M, params: Params<M>, signal?: AbortSignal): Promise<Results[M]> => {
      const { files } = params as Partial<Params<'session.reset'>>;
      if (files !== undefined && 'folder' in files) setServerFolder(files.folder);
      try {
        const result = await server.request(method, params, signal);
        if (method === 'session.reset' || method === 'session.provideFiles') {
          setServerFolder((result as Results['session.provideFiles']).folder);
        }
        return localizeResult(method, result, localize);
      } catch (error) {
        if (!(error instanceof ServerError)) throw error;
        throw new ServerError(error.code, localize(error.message), { cause: error });
      }
    },
  };
}

/** The name must end here. */
const END = '(?![\\w-]|\\.\\w)';

/** Replaces paths and `file:` URLs in `serverFolder` with those in `folder`. */
export function localPaths(serverFolder: string, folder: string): (text: string) => string {
  const address = pathToFileURL(folder).href;
  const places = new RegExp(
    // A longer path on the left is a different path.
    `(file://)${escapePattern(encodeURI(serverFolder))}${END}|(?<![\\w./:%~@-])${escapePattern(serverFolder)}${END}((?:/[^\\s:'"\`()<>?*|]+)*)`,
    'g',
  );
  return (text) =>
    text.includes(serverFolder) || text.includes(encodeURI(serverFolder))
      ? text.replace(places, (_all, scheme: string | undefined, relativePath: string | undefined) =>
          scheme === undefined ? join(folder, ...(relativePath ?? '').split('/')) : address,
        )
      : text;
}

function localizeEvent(event: ServerEvent, localize: (text: string) => string): ServerEvent {
  if (event.event === 'log') return { ...event, text: localize(event.text) };
  if (event.event === 'session.ended') return { ...event, message: localize(event.message) };
  return event;
}

function localizeResult<M extends Method>(
  method: M,
  result: Results[M],
  localize: (text: string) => string,
): Results[M] {
  switch (method) {
    case 'session.reset':
    case 'session.step':
      return localizeStep(result as StepResult, localize) as Results[M];
    case 'session.setup':
    case 'session.evaluate':
      return localizeOutcome(result as CallOutcome, localize) as Results[M];
    default:
      return result;
  }
}

function localizeOutcome(outcome: CallOutcome, localize: (text: string) => string): CallOutcome {
  if ('error' in outcome) {
    const { message, stack, code } = outcome.error;
    const error = {
      code,
      message: withWayOut(localize(message)),
      ...(stack === undefined ? {} : { stack: localize(stack) }),
    };
    return { ...outcome, error };
  }
  const { step } = outcome;
  return { ...outcome, reason: localize(outcome.reason), step: step === null ? null : localizeStep(step, localize) };
}

/** In a container, user-defined functions cannot import from outside their folder. */
function withWayOut(message: string): string {
  return /Cannot find (?:package|module) /.test(message)
    ? `${message}. A container can only access the folder of the task. Move what the function imports there, or run the task on this machine (\`--placement local\`)`
    : message;
}

function localizeStep<T extends StepResult>(step: T, localize: (text: string) => string): T {
  const { info, error } = step;
  const messages = info.messages?.map((message) => ({
    ...message,
    text: localize(message.text),
    ...(message.location === undefined ? {} : { location: localize(message.location) }),
  }));
  return {
    ...step,
    info: messages === undefined ? info : { ...info, messages },
    error: error === null ? null : { ...error, message: localize(error.message) },
  };
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
