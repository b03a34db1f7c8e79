import type { WebSocket } from '@fastify/websocket';
import type { RawData } from 'ws';
import { isObject, type Json, objectOf } from '../../base/json.ts';
import { nearestNumbers } from '../../base/raw-numbers-in.ts';
import { parseExactPythonJson, parsePythonJson } from '../../python/json.ts';
import { ServedError } from '../served-environment.ts';
import { nearestExceptTask } from './body.ts';
import { answerRpc, capacityError } from './mcp.ts';
import { actionSchema, check, InvalidRequest, messageSchema } from './requests.ts';
import { RPC, rpcError, wsError, wsResult } from './responses.ts';
import { AtCapacity, type OpenSession, type Sessions } from './sessions.ts';

/** How many messages a client may send ahead of the answers. */
const MAX_QUEUED_MESSAGES = 64;

/** How many bytes of messages a client may send ahead of the answers. */
const MAX_QUEUED_BYTES = 16 * 1024 * 1024;
/** How long a client may leave an answer unread, in ms. */
const UNREAD_MS = 60_000;

/** What a message leads to: an answer, or the end of the connection after a last one. */
type Outcome = { readonly answer: string | Buffer } | { readonly last: string | null };

/** Answers the messages of a connection one after the other until one of the two sides ends it. */
function converse(
  socket: WebSocket,
  answer: (text: string | null) => Promise<Outcome>,
  onEnd: (polite: boolean) => void,
  report: (error: unknown) => void,
): void {
  let tail = Promise.resolve();
  let ahead = 0;
  let bytesAhead = 0;
  const isFull = (): boolean => ahead >= MAX_QUEUED_MESSAGES || bytesAhead >= MAX_QUEUED_BYTES;
  let isOver = false;
  const end = (polite: boolean): void => {
    if (isOver) return;
    isOver = true;
    onEnd(polite);
  };
  socket.on('message', (data: RawData, isBinary: boolean) => {
    const text = isBinary ? null : String(data);
    const size = text?.length ?? 0;
    ahead += 1;
    bytesAhead += size;
    if (isFull()) socket.pause();
    tail = tail.then(async () => {
      ahead -= 1;
      bytesAhead -= size;
      if (!isFull()) socket.resume();
      if (isOver) return;
      const outcome = await answer(text).catch((error: unknown): Outcome => {
        report(error);
        return { last: wsError('Internal error of the server.', 'SESSION_ERROR') };
      });
      if ('answer' in outcome) return sendUntilRead(socket, outcome.answer);
      if (outcome.last !== null) socket.send(outcome.last);
      end(outcome.last === null);
      socket.close(1000);
    });
  });
  socket.on('close', () => end(false));
  // Broken frames close the connection, which is reported above.
  socket.on('error', () => undefined);
}

/**
 * Resolves when the connection has taken an answer, or has ended. Until then, no further message is answered: a client that
 * does not read would otherwise fill the memory. Its connection ends after a minute.
 */
function sendUntilRead(socket: WebSocket, answer: string | Buffer): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => socket.terminate(), UNREAD_MS);
    socket.send(answer, { binary: false }, () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function endWith(socket: WebSocket, last: string): void {
  socket.send(last);
  socket.close(1000);
}

/** The session of a connection: the one of `/mcp` that it joins, or a new one. The last message if there is none. */
function sessionFor(sessions: Sessions, sessionId: string | undefined): OpenSession | string {
  if (!sessionId) {
    try {
      return sessions.open();
    } catch (error) {
      if (!(error instanceof AtCapacity)) throw error;
      const { message, active, max } = error;
      return wsError(message, 'CAPACITY_REACHED', { active_sessions: active, max_sessions: max });
    }
  }
  const open = sessions.get(sessionId);
  if (open === undefined) return wsError(`Unknown session_id: ${sessionId}`, 'SESSION_ERROR');
  return open.attached ? wsError(`Session ${sessionId} already has an attached WebSocket`, 'SESSION_ERROR') : open;
}

/** Serves one connection of `/ws`. `sessionId`: the session of `/mcp` that it joins, if any. */
export function serveEnvironment(
  socket: WebSocket,
  sessions: Sessions,
  sessionId: string | undefined,
  report: (error: unknown) => void,
): void {
  const open = sessionFor(sessions, sessionId);
  if (typeof open === 'string') {
    endWith(socket, open);
    return;
  }
  open.attached = true;
  sessionSockets.set(open, socket);
  converse(
    socket,
    (text) => answerMessage(text, open, sessions),
    (polite) => {
      open.attached = false;
      sessionSockets.delete(open);
      if (!sessionId || open.closing) void sessions.close(open, !polite && !open.closing);
    },
    report,
  );
}

/** The connection of a session that has one. */
const sessionSockets = new WeakMap<OpenSession, WebSocket>();

/** Ends the connection of an idle session. */
export function endConnection(open: OpenSession): void {
  const socket = sessionSockets.get(open);
  if (socket !== undefined) endWith(socket, wsError('The session was idle for too long.', 'SESSION_ERROR'));
}

async function answerMessage(text: string | null, open: OpenSession, sessions: Sessions): Promise<Outcome> {
  if (text === null) return { last: wsError('A message is a text.', 'SESSION_ERROR') };
  let value: Json;
  try {
    value = parseExactPythonJson(text);
  } catch (error) {
    return { answer: wsError(`Invalid JSON: ${(error as Error).message}`, 'INVALID_JSON') };
  }
  if (!isObject(value)) return { last: wsError('A message is a JSON object.', 'SESSION_ERROR') };
  try {
    const message = check(messageSchema, value);
    switch (message.type) {
      case 'close':
        return { last: null };
      case 'state':
        return { answer: JSON.stringify({ type: 'state', data: await open.inTurn((session) => session.state()) }) };
      case 'mcp':
        return {
          answer: JSON.stringify({ type: 'mcp', data: await answerRpc(nearestNumbers(message.data), sessions, open) }),
        };
      case 'reset':
        return {
          answer: wsResult(await open.inTurn((session) => session.reset(objectOf(nearestExceptTask(message.data))))),
        };
      case 'step': {
        const { action_str } = check(actionSchema, message.data);
        return { answer: wsResult(await open.inTurn((session) => session.step(action_str))) };
      }
    }
  } catch (error) {
    if (error instanceof ServedError) return { answer: wsError(error.message, 'EXECUTION_ERROR') };
    if (!(error instanceof InvalidRequest)) throw error;
    const { problems } = error;
    if (problems.some(({ loc }) => loc[0] === 'type')) {
      const { type = '' } = value;
      const why = typeof type === 'string' ? `Unknown message type: ${type}` : 'The type of a message is a text.';
      return { answer: wsError(why, 'UNKNOWN_TYPE') };
    }
    return { answer: wsError('Invalid message', 'VALIDATION_ERROR', { errors: problems }) };
  }
}

/** Serves one connection of `/mcp`, which has its own session. */
export function serveTools(socket: WebSocket, sessions: Sessions, report: (error: unknown) => void): void {
  let open: OpenSession;
  try {
    open = sessions.open();
  } catch (error) {
    if (!(error instanceof AtCapacity)) throw error;
    endWith(socket, JSON.stringify(capacityError(null, error)));
    return;
  }
  open.attached = true;
  sessionSockets.set(open, socket);
  const answer = async (text: string | null): Promise<Outcome> => {
    const last = (why: string): Outcome => ({ last: JSON.stringify(rpcError(null, RPC.server, why)) });
    if (text === null) return last('A request is a text.');
    let value: Json;
    try {
      value = parsePythonJson(text);
    } catch (error) {
      return { answer: JSON.stringify(rpcError(null, RPC.parse, `Parse error: ${(error as Error).message}`)) };
    }
    if (!isObject(value)) return last('A request is a JSON object.');
    return { answer: JSON.stringify(await answerRpc(value, sessions, open)) };
  };
  converse(socket, answer, () => void sessions.close(open, false), report);
}
