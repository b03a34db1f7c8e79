import type { CreateEnvironment } from '../environment.ts';
import { CodingEnvironment } from './environment.ts';

export const create: CreateEnvironment = ({ log }) => new CodingEnvironment(log);
