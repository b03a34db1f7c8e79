import type { CreateEnvironment } from '../environment.ts';
import { BrowserEnvironment } from './environment.ts';

export const create: CreateEnvironment = (tools) => new BrowserEnvironment(tools);
