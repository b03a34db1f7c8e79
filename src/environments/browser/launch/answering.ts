import { EnvironmentError } from '../../environment.ts';
import { type Limits, OutOfTime, within } from '../limits.ts';

/** @throws EnvironmentError `browser_failed` if a browser that has started does not answer */
export async function awaitBrowser<T>(limits: Limits, answer: Promise<T>): Promise<T> {
  try {
    return await within(limits.start, 'the browser', answer);
  } catch (error) {
    if (!(error instanceof OutOfTime)) throw error;
    throw new EnvironmentError('browser_failed', `The browser started, but did not open a page: ${error.message}.`);
  }
}
