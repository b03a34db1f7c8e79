import type { WebSocket } from '@fastify/websocket';
import type { RawData } from 'ws';
import type { Json } from '../../base/json.ts';
import { isObject, type JsonObject } from '../../base/json.ts';
import { ServedError } from '../served.ts';
import { RPC, rpcError, wsError, wsInvalid, wsResult } from './answers.ts';
import { answerRpc, capacityError } from './mcp.ts';
import { JsonFault, jsonOf, part, readJson, readPrintable, str, typeName } from './python.ts';
import { AtCapacity, type HeldSession, type Sessions } from './sessions.ts';
import { checkAction, checkMessage } from './validation.ts';

/** How many messages a client may send ahead of the answers. */
const MAX_QUEUED_MESSAGES = 64;

/** What a message leads to: an answer, or the end of the connection after a last one. */
type Outcome = { readonly answer: string | Buffer } | { readonly last: string | null };

/** Answers the messages of a connection one after the other until one of the two sides ends it. */
function converse(
  socket: WebSocket,
  answer: (text: string | null) => Promise<Outcome>,
  ended: (polite: boolean) => void,
  report: (error: unknown) => void,
): void {
  let tail = Promise.resolve();
  let ahead = 0;
  let isOver = false;
  const end = (polite: boolean): void => {
    if (isOver) return;
    isOver = true;
    ended(polite);
  };
  socket.on('message', (data: RawData, isBinary: boolean) => {
    ahead += 1;
    if (ahead >= MAX_QUEUED_MESSAGES) socket.pause();
    tail = tail.then(async () => {
      ahead -= 1;
      if (ahead < MAX_QUEUED_MESSAGES) socket.resume();
      if (isOver) return;
      const outcome = await answer(isBinary ? null : String(data)).catch((error: unknown): Outcome => {
        // Too many objects in each other end the connection in OpenEnv's server, too.
        if (error instanceof JsonFault) return { last: wsError(error.full, 'SESSION_ERROR') };
        report(error);
        return { last: wsError('Internal error of the server.', 'SESSION_ERROR') };
      });
      if ('answer' in outcome) {
        socket.send(outcome.answer, { binary: false });
        return;
      }
      if (outcome.last !== null) socket.send(outcome.last);
      end(outcome.last === null);
      socket.close(1000);
    });
  });
  socket.on('close', () => end(false));
  // Broken frames close the connection, which is reported above.
  socket.on('error', () => undefined);
}

/** Serves one connection of `/ws`. `named`: the session of `/mcp` that it joins, if it names one. */
export function serveEnvironment(
  socket: WebSocket,
  sessions: Sessions,
  named: string | undefined,
  report: (error: unknown) => void,
): void {
  const fail = (message: string): void => {
    socket.send(message);
    socket.close(1000);
  };
  let held: HeldSession;
  const owns = named === undefined || named === '';
  if (owns) {
    try {
      held = sessions.open();
    } catch (error) {
      if (!(error instanceof AtCapacity)) throw error;
      const { active, max } = error;
      fail(wsError(error.message, 'CAPACITY_REACHED', { active_sessions: active, max_sessions: max }));
      return;
    }
  } else {
    const found = sessions.get(named);
    if (found === undefined) {
      fail(wsError(`Unknown session_id: ${named}`, 'SESSION_ERROR'));
      return;
    }
    if (found.attached) {
      fail(wsError(`Session ${named} already has an attached WebSocket`, 'SESSION_ERROR'));
      return;
    }
    held = found;
  }
  held.attached = true;
  sessionSockets.set(held, socket);
  converse(
    socket,
    (text) => answerMessage(text, held, sessions),
    (polite) => {
      held.attached = false;
      sessionSockets.delete(held);
      if (owns || held.closing) void sessions.close(held, !polite && !held.closing);
    },
    report,
  );
}

/** The connection of a session that has one. */
const sessionSockets = new WeakMap<HeldSession, WebSocket>();

/** Ends the connection of a session that nobody uses. */
export function endConnection(held: HeldSession): void {
  const socket = sessionSockets.get(held);
  if (socket === undefined) return;
  socket.send(wsError('The session was idle for too long.', 'SESSION_ERROR'));
  socket.close(1000);
}

async function answerMessage(text: string | null, held: HeldSession, sessions: Sessions): Promise<Outcome> {
  // The three ends of a connection that OpenEnv's server has are errors of Python there.
  if (text === null) return { last: wsError("'text'", 'SESSION_ERROR') };
  let message: Json;
  try {
    message = readJson(text);
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    return { answer: wsError(`Invalid JSON: ${error.full}`, 'INVALID_JSON') };
  }
  if (!isObject(message)) {
    return { last: wsError(`'${typeName(readPrintable(text))}' object has no attribute 'get'`, 'SESSION_ERROR') };
  }
  const type = message['type'] ?? (Object.hasOwn(message, 'type') ? null : '');
  if (type !== 'reset' && type !== 'step' && type !== 'state' && type !== 'close' && type !== 'mcp') {
    const shown = typeof type === 'string' ? type : part(readPrintable(text), 'type');
    return { answer: wsError(`Unknown message type: ${str(shown)}`, 'UNKNOWN_TYPE') };
  }
  const wrong = checkMessage(type, message);
  if (wrong.length > 0) return { answer: wsInvalid(wrong, readPrintable(text)) };
  const data = (message['data'] ?? {}) as JsonObject;
  if (type === 'close') return { last: null };
  if (type === 'mcp') {
    const answer = await answerRpc(data, sessions, held, () => part(readPrintable(text), 'data'));
    return { answer: jsonOf({ type: 'mcp', data: answer }) };
  }
  if (type === 'step') {
    const errors = checkAction(data);
    if (errors.length > 0) return { answer: wsInvalid(errors, part(readPrintable(text), 'data')) };
  }
  try {
    if (type === 'state') {
      const state = await held.inTurn((session) => session.state());
      return { answer: JSON.stringify({ type: 'state', data: state }) };
    }
    const result = await held.inTurn((session) =>
      type === 'reset' ? session.reset(data) : session.step(String(data['action_str'])),
    );
    return { answer: wsResult(result) };
  } catch (error) {
    if (!(error instanceof ServedError)) throw error;
    return { answer: wsError(error.message, 'EXECUTION_ERROR') };
  }
}

/** Serves one connection of `/mcp`, which has a session of its own. */
export function serveTools(socket: WebSocket, sessions: Sessions, report: (error: unknown) => void): void {
  let held: HeldSession;
  try {
    held = sessions.open();
  } catch (error) {
    if (!(error instanceof AtCapacity)) throw error;
    socket.send(jsonOf(capacityError(null, error)));
    socket.close(1000);
    return;
  }
  held.attached = true;
  sessionSockets.set(held, socket);
  const answer = async (text: string | null): Promise<Outcome> => {
    if (text === null) return { last: jsonOf(rpcError(null, RPC.server, "'text'")) };
    let message: Json;
    try {
      message = readJson(text);
    } catch (error) {
      if (!(error instanceof JsonFault)) throw error;
      return { answer: jsonOf(rpcError(null, RPC.parse, `Parse error: ${error.full}`)) };
    }
    if (!isObject(message)) return { last: jsonOf(rpcError(null, RPC.server, 'A request is a JSON object.')) };
    return { answer: jsonOf(await answerRpc(message, sessions, held, () => readPrintable(text))) };
  };
  converse(socket, answer, () => void sessions.close(held, false), report);
}
