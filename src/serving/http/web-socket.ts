import type { WebSocket } from '@fastify/websocket';
import type { RawData } from 'ws';
import { isObject, type Json } from '../../base/json.ts';
import { parsePythonJson } from '../../python/json.ts';
import { ServedError } from '../served.ts';
import { RPC, rpcError, wsError, wsResult } from './answers.ts';
import { answerRpc, capacityError } from './mcp.ts';
import { actionSchema, check, InvalidRequest, messageSchema } from './requests.ts';
import { AtCapacity, type HeldSession, type Sessions } from './sessions.ts';

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
  if (text === null) return { last: wsError('A message is a text.', 'SESSION_ERROR') };
  let value: Json;
  try {
    value = parsePythonJson(text);
  } catch (error) {
    return { answer: wsError(`Invalid JSON: ${(error as Error).message}`, 'INVALID_JSON') };
  }
  if (!isObject(value)) return { last: wsError('A message is a JSON object.', 'SESSION_ERROR') };
  try {
    const asked = check(messageSchema, value);
    switch (asked.type) {
      case 'close':
        return { last: null };
      case 'state':
        return { answer: JSON.stringify({ type: 'state', data: await held.inTurn((session) => session.state()) }) };
      case 'mcp':
        return { answer: JSON.stringify({ type: 'mcp', data: await answerRpc(asked.data, sessions, held) }) };
      case 'reset':
        return { answer: wsResult(await held.inTurn((session) => session.reset(asked.data))) };
      case 'step': {
        const { action_str } = check(actionSchema, asked.data);
        return { answer: wsResult(await held.inTurn((session) => session.step(action_str))) };
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

/** Serves one connection of `/mcp`, which has a session of its own. */
export function serveTools(socket: WebSocket, sessions: Sessions, report: (error: unknown) => void): void {
  let held: HeldSession;
  try {
    held = sessions.open();
  } catch (error) {
    if (!(error instanceof AtCapacity)) throw error;
    socket.send(JSON.stringify(capacityError(null, error)));
    socket.close(1000);
    return;
  }
  held.attached = true;
  sessionSockets.set(held, socket);
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
    return { answer: JSON.stringify(await answerRpc(value, sessions, held)) };
  };
  converse(socket, answer, () => void sessions.close(held, false), report);
}
