/** Python's `str.strip()`, which removes other characters than JavaScript's `trim()`. */
export function strip(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isPythonSpace(text.charCodeAt(start))) start++;
  while (end > start && isPythonSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

function isPythonSpace(code: number): boolean {
  if ((code >= 0x1c && code <= 0x1f) || code === 0x85) return true;
  return code !== 0xfeff && /\s/.test(String.fromCharCode(code));
}
