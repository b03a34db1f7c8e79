/** How many finished runs stay in `.taskwright/jobs`. */
export const KEEP_RUNS = 200;
