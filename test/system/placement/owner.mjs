// Owns a placement, opens a session, says that it stands, and waits to be killed.
import { pathToFileURL } from 'node:url';

const [, , placement, serverProgram, html, loop] = process.argv;
const { localPlacement } = await import(pathToFileURL(placement).href);
const server = await localPlacement({ serverProgram, log: () => {} }).server();
const { session } = await server.request('session.open', {});
const task = { ...JSON.parse(html) };
await server.request('session.reset', { session, task: task.task, files: { folder: task.folder }, seed: 0 });
if (loop) {
  const call = { function: 'loops_for_ever', args: [], range: task.task.range };
  server.request('session.evaluate', { session, call, limit_ms: 60_000 }).catch(() => {});
}
process.stdout.write('standing\n');
