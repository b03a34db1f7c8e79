import { parts } from './parts.ts';
import { runProgram } from './program.ts';

runProgram(parts);
