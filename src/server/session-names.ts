// Names that a session process shares with a JavaScript debugger.

/** Names of the threads, which users see. */
export const WATCH_NAME = 'Taskwright watchdog: ends this process with its server';
export const BROWSER_THREAD_NAME = 'Taskwright browser: answers while a function is stopped';

/** The argument that makes the server program the thread of a browser. */
export const BROWSER_THREAD = 'browser';

/** The function that a debug console calls instead of `await`, as a property of the global object: `Symbol.for(COMPLETE)`. */
export const COMPLETE = 'taskwright.complete';
