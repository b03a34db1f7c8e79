/** Thrown if a function needs something that the recording does not contain. The message says what, and what to do. */
export class NotRecorded extends Error {}
