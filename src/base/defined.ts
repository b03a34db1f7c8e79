/** What is left of an object without the members that are undefined. */
type Defined<Values> = {
  [Key in keyof Values as undefined extends Values[Key] ? never : Key]: Values[Key];
} & { [Key in keyof Values as undefined extends Values[Key] ? Key : never]?: Exclude<Values[Key], undefined> };

/** The members of an object that are not undefined, for objects in which a missing value is absent. */
export function defined<Values extends object>(values: Values): Defined<Values> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<Values>;
}
