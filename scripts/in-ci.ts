/** Whether this runs in CI, where a program that tests need and that is missing is a failure instead of a skipped test. */
export const inCi = Boolean(process.env['CI']) && process.env['CI'] !== 'false';
