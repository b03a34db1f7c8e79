import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FORGERIES } from '../pages/hostile.ts';

/** What the pages of a site that belongs to an agent do. */
const SCRIPTS: Readonly<Record<string, string>> = {
  '/frames': `for (const path of ['secret.task.json', 'secret.actions', '/secret.task.json']) {
      const frame = document.createElement('iframe');
      frame.src = 'http://task.localhost/' + path;
      document.body.append(frame);
      fetch('http://task.localhost/' + path).then((got) => got.text()).then((text) => document.body.append(text), () => {});
    }`,
  '/spies': `for (const name of ['matches', 'closest', 'querySelector', 'querySelectorAll', 'getAttribute', 'setAttribute'])
      Element.prototype[name] = new Proxy(Element.prototype[name], { apply(run, self, args) {
        document.body.append(JSON.stringify(args)); return Reflect.apply(run, self, args); } });`,
  '/forges': Object.values(FORGERIES)
    .map((text) => `{ ${text} }`)
    .join('\n'),
  '/console': `setInterval(() => { for (let at = 0; at < 100; at++) console.error('x'.repeat(10000)); }, 0);`,
  '/history': `setInterval(() => { for (let at = 0; at < 50; at++) history.pushState(null, '', '?' + Math.random()); }, 0);`,
  '/reloads': `setTimeout(() => location.reload(), 5);`,
  '/dialogs': `setInterval(() => { alert('stop'); confirm('stop'); prompt('stop'); }, 1); onbeforeunload = () => 'stay';`,
  '/busy': `document.querySelector('#go').onclick = () => { for (;;); };`,
};

/** Serves hostile pages on the loopback. */
export async function hostileSite(): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    response.setHeader('content-type', 'text/html');
    response.end(`<!doctype html><p>Shop</p><button id=go>Go</button><script>${SCRIPTS[path] ?? ''}</script>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
