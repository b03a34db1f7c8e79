import { DebugClient } from '@vscode/debugadapter-testsupport';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { type Started, start } from './program.ts';

class Client extends DebugClient {
  constructor({ stdout, stdin }: Started['child']) {
    super('', '', 'taskwright');
    this.connect(stdout, stdin);
  }
}

/** Another editor with a debug adapter of its own, as it would start it. */
export function editor(cwd: string) {
  const { child, ended } = start(['dap'], cwd, {}, true);
  const client = new Client(child);
  /** Where it stands next: the top of its stack. */
  const next = async (go: () => Promise<unknown>): Promise<string | undefined> => {
    const [{ body }] = await Promise.all([client.waitForEvent('stopped', 30_000), go()]);
    const { stackFrames } = (await client.stackTraceRequest({ threadId: body.threadId })).body;
    return stackFrames[0]?.name;
  };
  const launch = async (configuration: object, breakpoints?: DebugProtocol.SetBreakpointsArguments) => {
    const initialized = client.waitForEvent('initialized');
    await client.initializeRequest();
    await initialized;
    if (breakpoints !== undefined) await client.setBreakpointsRequest(breakpoints);
    return next(async () => {
      await client.launchRequest(configuration);
      await client.configurationDoneRequest();
    });
  };
  const ask = async (expression: string) => (await client.evaluateRequest({ expression, context: 'repl' })).body.result;
  return { client, child, ended, next, launch, ask };
}
