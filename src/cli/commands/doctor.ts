import { locateBrowser } from '../../environments/browser/locate.ts';
import { type Command, type CommandContext, EXIT } from '../command.ts';

/** As in package.json's `engines`. */
const LEAST_NODE = 22;

/** How a browser is had where none was found. */
export const GET_A_BROWSER = [
  'Install Chrome, Edge or Chromium (Debian: apt-get install chromium),',
  'or take the download of Playwright: npx playwright-core install chromium-headless-shell',
  'or set TASKWRIGHT_BROWSER to the path of a browser.',
];

async function run({ json, output }: CommandContext): Promise<number> {
  const version = process.versions.node;
  const node = { version, wanted: `>=${LEAST_NODE}`, ok: Number(version.split('.')[0]) >= LEAST_NODE };
  const located = await locateBrowser();
  const browser =
    'found' in located
      ? { ok: true, ...located.found, tried: [], fix: null }
      : { ok: false, path: null, name: null, version: null, tried: located.tried, fix: GET_A_BROWSER.join('\n') };
  const ok = node.ok && browser.ok;
  if (json) {
    output.json({ ok, node, browser });
    return ok ? EXIT.fine : EXIT.not;
  }
  const line = (fine: boolean, text: string): void =>
    output.print(`${fine ? output.paint('green', '✓') : output.paint('red', '✗')} ${text}`);
  line(node.ok, `Node.js ${version}${node.ok ? '' : `: ${node.wanted} is needed`}`);
  if ('found' in located) {
    const { name, path, version: found } = located.found;
    line(true, `${name}${found === null ? '' : ` ${found}`}: ${path}`);
  } else {
    line(false, 'No browser was found. Looked for:');
    for (const tried of located.tried) output.print(`    ${tried}`);
    for (const fix of GET_A_BROWSER) output.print(`  ${fix}`);
  }
  return ok ? EXIT.fine : EXIT.not;
}

export const doctor: Command = {
  name: 'doctor',
  summary: 'Checks what Taskwright needs on this machine, and says how to get what is missing.',
  usage: '[--json]',
  options: {},
  help: [['--json', 'Print the findings as JSON: ok, node, browser']],
  run,
};
