export { type AgentServer, type ChannelServer, type Limits, listen } from './channel.ts';
export { serveOnStreams } from './stdio.ts';
