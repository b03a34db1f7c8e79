import type { CreateEnvironment } from '../environment.ts';
import { McpEnvironment } from './environment.ts';

export const create: CreateEnvironment = ({ log }) => new McpEnvironment(log);
