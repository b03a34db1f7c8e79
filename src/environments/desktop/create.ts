import type { CreateEnvironment } from '../environment.ts';
import { DesktopEnvironment } from './environment.ts';

export const create: CreateEnvironment = (tools) => new DesktopEnvironment(tools);
