/** The event by which those who show the run follow the debugger: `{step}`, the last recorded step at the stop. */
export const AT_STEP = 'taskwright.atStep';
/** The request by which they lead it: `{step}`. Of a replay only. */
export const GO_TO_STEP = 'taskwright.goToStep';
