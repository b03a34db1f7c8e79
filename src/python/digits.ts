/** Replaces the decimal digits of all scripts, which Python's numbers may have, with those of ASCII. */
export function asciiDigits(number: string): string {
  return number.replace(/(?![0-9])\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0) ?? 0;
    let zero = code;
    // Digits are consecutive, beginning with zero; scripts can be too.
    while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
    return String((code - zero) % 10);
  });
}
