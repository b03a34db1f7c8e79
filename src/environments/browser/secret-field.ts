/** Whether text that is typed into an element is secret, such as a password. `attributes`: names and values. */
export function isSecretField(tag: string, attributes: Iterable<readonly [string, string]>): boolean {
  if (tag !== 'input') return false;
  const values = new Map(attributes);
  return (
    values.get('type')?.toLowerCase() === 'password' ||
    /\b(?:current-password|new-password|one-time-code)\b/i.test(values.get('autocomplete') ?? '')
  );
}
