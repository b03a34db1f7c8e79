/**
 * Watches for how long this process does one thing after the other without a pause.
 * @returns ends the watching and says the longest time in ms, of the process's own work: a busy machine adds none
 */
export function watchBlocks(): () => number {
  let longest = 0;
  let watching = true;
  let at = performance.now();
  let work = process.cpuUsage();
  const look = (): void => {
    const now = performance.now();
    const { user, system } = process.cpuUsage(work);
    longest = Math.max(longest, Math.min(now - at, (user + system) / 1000));
    at = now;
    work = process.cpuUsage();
    if (watching) setTimeout(look, 1);
  };
  look();
  return () => {
    watching = false;
    return longest;
  };
}
