/** The environment variable with the factor of `patient`. */
export const PATIENCE = 'TASKWRIGHT_PATIENCE';

const MAX_FACTOR = 100;

/** The factor that a value of the variable stands for: 1 unless it is a number from 1 to 100. */
export function patienceOf(text: string | undefined): number {
  const factor = Number(text);
  return factor >= 1 && factor <= MAX_FACTOR ? factor : 1;
}

/**
 * How long to wait for a program to start, to answer, or to end: a browser, a server, a container, or Docker. Limits that
 * users set, and those of calls and actions, are not of this kind.
 * @param ms the limit on a usual machine
 * @returns `ms` times the factor in `TASKWRIGHT_PATIENCE`, for slow machines
 */
export function patient(ms: number): number {
  return ms * patienceOf(process.env[PATIENCE]);
}
