/** The value of a key, created and stored if the map has none. */
export function getOrCreate<Key, Value>(
  map: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  create: () => Value,
): Value {
  const existing = map.get(key);
  if (existing !== undefined) return existing;
  const value = create();
  map.set(key, value);
  return value;
}

/** As `getOrCreate`, for promises. A rejected one is removed, so that the next call tries again. */
export function getOrRetry<Key, Value>(
  map: {
    get(key: Key): Promise<Value> | undefined;
    set(key: Key, value: Promise<Value>): unknown;
    delete(key: Key): unknown;
  },
  key: Key,
  create: () => Promise<Value>,
): Promise<Value> {
  return getOrCreate(map, key, () => {
    const value = create();
    // The caller gets the error.
    value.catch(() => map.delete(key));
    return value;
  });
}
