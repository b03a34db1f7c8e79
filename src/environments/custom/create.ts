import type { CreateEnvironment } from '../environment.ts';
import { CustomEnvironment } from './environment.ts';
import { localController } from './python.ts';

export const create: CreateEnvironment = ({ log }) =>
  new CustomEnvironment((options) => localController(options, log), log);
