export { type AgentServer, type ChannelServer, type Limits, listen } from './channel.ts';
