import { loadDocker } from './load-containers.ts';

/** `guard.js LABEL [HOST]`: removes what a process with this owner label has in a swarm, when standard input ends. */
const [label = '', host] = process.argv.slice(2);
const end = (code: number) => (): never => process.exit(code);
process.stdin.resume();
process.stdin.once('close', () => {
  void loadDocker()
    .then(({ removeFromSwarm }) => removeFromSwarm(label, host))
    .then(end(0), end(1));
});
