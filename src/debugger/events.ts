/** Event for views that follow the debugger. Body: `{step}`, the last recorded step at the stop. */
export const AT_STEP = 'taskwright.atStep';
/** Request that moves a replay to a step. Arguments: `{step}`. */
export const GO_TO_STEP = 'taskwright.goToStep';
