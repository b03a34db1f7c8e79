import type { CreateEnvironment } from '../environment.ts';
import { QaEnvironment } from './environment.ts';

export const create: CreateEnvironment = () => new QaEnvironment();
