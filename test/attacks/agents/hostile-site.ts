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
  '/deep': `let at = document.body; for (let depth = 0; depth < 20000; depth++) at = at.appendChild(document.createElement('div')); at.append('Deep');`,
  '/shadows': `let at = document.body; for (let depth = 0; depth < 2000; depth++) {
      at = at.appendChild(document.createElement('div')).attachShadow({ mode: 'open' }); at.append('Deep'); }`,
  '/label': `const text = 'x'.repeat(20_000_000); document.querySelector('#go').setAttribute('aria-label', text); document.title = text;
      document.body.append(text);`,
  '/elements': `for (let at = 0; at < 200000; at++) { const button = document.createElement('button'); button.textContent = 'B' + at; document.body.append(button); }`,
  '/animated': `const style = document.createElement('style'); style.textContent = '@keyframes a { to { transform: rotate(1turn) scale(3) } } * { animation: a 1s infinite; transition: all 1s }';
      document.head.append(style); for (let at = 0; at < 300; at++) document.body.append(document.createElement('hr'));
      const again = () => { document.body.style.paddingTop = Math.random() + 'px'; requestAnimationFrame(again); }; again();`,
  '/canvas': `const canvas = document.createElement('canvas'); canvas.width = canvas.height = 32000; document.body.append(canvas);
      canvas.getContext('2d').fillRect(0, 0, 32000, 32000); document.body.style.cssText = 'width: 1e8px; height: 1e8px; zoom: 20';`,
  '/windows': `onmessage = ({ data, source }) => source?.postMessage(data + data.slice(0, 1000), '*');
      setInterval(() => { const other = open(location.href, '_blank'); other?.postMessage('x', '*'); other?.close(); }, 20);
      onbeforeunload = (event) => { event.preventDefault(); return 'stay'; }; setTimeout(() => close(), 200);`,
  '/permissions': `document.onclick = () => { document.documentElement.requestFullscreen().catch(() => {}); document.body.requestPointerLock?.(); };
      navigator.geolocation.getCurrentPosition(() => {}); Notification.requestPermission?.(); navigator.mediaDevices?.getUserMedia({ video: true, audio: true }).catch(() => {});
      navigator.clipboard?.readText().catch(() => {}); print(); setInterval(() => print(), 100); document.querySelector('#go').onclick = () => { const file = document.createElement('input'); file.type = 'file'; file.click(); };`,
  '/workers': `const code = URL.createObjectURL(new Blob(['for (;;);'])); for (let at = 0; at < 30; at++) new Worker(code);`,
  '/storage': `const text = 'x'.repeat(1_000_000); try { for (let at = 0; ; at++) { localStorage['k' + at] = text; sessionStorage['k' + at] = text; } } catch {}
      for (let at = 0; at < 500; at++) document.cookie = 'c' + at + '=' + 'x'.repeat(4000);
      caches.open('c').then(async (cache) => { for (let at = 0; at < 50; at++) await cache.put('/' + at, new Response(text)); }).catch(() => {});`,
  '/memory': `const all = []; setTimeout(() => { for (;;) all.push(new Array(10_000_000).fill({}), '\\u1234'.repeat(1e6).split('')); }, 100);`,
  '/elements-of-its-own': `customElements.define('x-button', class extends HTMLElement {
        get textContent() { return 'zebra-crossing-4711'; } get innerText() { return 'zebra-crossing-4711'; } get shadowRoot() { return document; }
        attributeChangedCallback() { throw new Error('no'); } connectedCallback() { this.id = 'x' + Math.random(); } disconnectedCallback() { document.body.append(this); }
        static get observedAttributes() { return ['bid', 'id', 'class', 'data-bid']; } });
      for (let at = 0; at < 20; at++) document.body.append(document.createElement('x-button'));
      for (const name of ['innerText', 'textContent']) Object.defineProperty(HTMLElement.prototype, name, { get: () => 'zebra-crossing-4711' });`,
  '/mutations': `new MutationObserver((records) => { for (const { target } of records) (target.parentElement ?? document.body).append(new Text('x')); if (document.body.childNodes.length > 2000) document.body.textContent = ''; })
        .observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
      setInterval(() => { document.documentElement.replaceWith(document.documentElement.cloneNode(true)); document.body.setAttribute('x', Math.random()); }, 0);`,
  '/written': `const again = () => { document.open(); document.write('<button id=go>Go</button><p>' + Math.random()); document.close(); setTimeout(again, 0); }; again();`,
  '/framed': `const nest = (level) => level === 0 ? '' : '<iframe srcdoc="' + nest(level - 1).replaceAll('&', '&amp;').replaceAll('"', '&quot;') + '"></iframe>';
      for (let at = 0; at < 200; at++) { const frame = document.createElement('iframe'); frame.srcdoc = at < 3 ? nest(6) : '<button>In</button>'; document.body.append(frame); }`,
  '/policy': `navigator.serviceWorker?.register('/worker.js').catch(() => {});`,
  '/busy': `document.querySelector('#go').onclick = () => { for (;;); };`,
};

/** Serves hostile pages on the loopback. */
export async function hostileSite(): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    response.setHeader('content-type', 'text/html');
    if (path === '/endless' || path === '/downloads') {
      if (path === '/downloads') response.setHeader('content-disposition', 'attachment; filename="../../x.html"');
      const send = (): void => {
        while (!response.destroyed && response.write(`<p>${'x'.repeat(1000)}</p>`));
      };
      if (path === '/downloads') response.on('drain', send);
      send();
      return;
    }
    if (path === '/redirects') response.writeHead(302, { location: `/redirects?${Math.random()}` });
    if (path === '/login') response.writeHead(401, { 'www-authenticate': 'Basic realm="Shop"' });
    if (path === '/policy') {
      response.setHeader(
        'content-security-policy',
        "default-src 'none'; script-src 'unsafe-inline'; sandbox allow-scripts; require-trusted-types-for 'script'",
      );
      response.setHeader('cross-origin-opener-policy', 'same-origin');
      response.setHeader('cross-origin-embedder-policy', 'require-corp');
    }
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
