import type { CreateEnvironment } from '../environment.ts';
import { OpenEnvEnvironment } from './environment.ts';

export const create: CreateEnvironment = ({ log }) => new OpenEnvEnvironment(log);
