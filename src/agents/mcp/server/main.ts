export { type AgentServer, handlerOf } from './channel.ts';
export { serveOnStreams } from './stdio.ts';
