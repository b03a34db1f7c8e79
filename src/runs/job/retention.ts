/** Number of finished runs that stay in `.taskwright/jobs`. */
export const KEEP_RUNS = 200;
