/** Keys and indexes that lead to a value inside a task. */
export type Path = readonly (string | number)[];

/** A member's key, or its value. */
export type Part = 'key' | 'value';
