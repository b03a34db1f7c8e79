/** What a function asks for is not in the recording that it judges. The message says what, and what to do. */
export class NotRecorded extends Error {}
