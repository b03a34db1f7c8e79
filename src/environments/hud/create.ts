import type { CreateEnvironment } from '../environment.ts';
import { HudEnvironment } from './environment.ts';

export const create: CreateEnvironment = ({ log }) => new HudEnvironment(log);
