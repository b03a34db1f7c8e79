/** HUD sends the text of an exception without its type, and some have none: what an error message then ends with. */
export const NO_MESSAGE = 'its code raised an exception without a message';
