import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as l10n from '@vscode/l10n';
import { patient } from '../../base/patience.ts';
import type { CommandResult } from '../../functions/declaration.ts';
import { findProgram } from '../../processes/programs.ts';
import { Commands } from '../workspace/commands.ts';
import { createLauncher } from '../workspace/workspace.ts';
import type { Capability } from './capability.ts';
import { type LocalSocket, openLocalSocket } from './local-socket.ts';
import { HudSession } from './session.ts';

/** Time limit for a connection, in ms. */
const CONNECT_LIMIT = patient(30_000);
const PROTOCOL = 'ssh/';
/** The name of the environment for ssh. */
const HOST = 'environment';

/** Connects its standard streams to a socket. Run by Node, because ssh cannot connect to socket files. */
const BRIDGE = `const socket = require('node:net').connect(process.env.TASKWRIGHT_SOCKET);
socket.on('error', () => process.exit(1)).on('close', () => process.exit());
process.stdin.pipe(socket).pipe(process.stdout);`;
/** A command line for a shell, without variable parts. */
const PROXY = '"$TASKWRIGHT_NODE" -e "$TASKWRIGHT_BRIDGE"';

/** A shell of an environment, through the system's `ssh`. Each command has a connection of its own. */
export class Shell {
  /** Whether the environment isolates commands from the rest of its machine. */
  readonly isolated: boolean;
  readonly #commands: Commands;
  readonly #socket: LocalSocket;
  readonly #words: readonly string[];

  private constructor(socket: LocalSocket, words: readonly string[], isolated: boolean) {
    this.isolated = isolated;
    this.#socket = socket;
    this.#words = words;
    this.#commands = new Commands(socket.folder, createLauncher(), variablesOf(socket));
  }

  /** Rejects with the reason if no command can be run. */
  static async open(address: string, { name, params }: Capability): Promise<Shell> {
    const socket = await openLocalSocket(address, name);
    const shell = new Shell(socket, await sshArguments(socket.folder, params), params['isolation'] === 'bwrap');
    try {
      // Every shell has this command, including PowerShell and cmd.
      const { exitCode, output, timedOut } = await shell.run('exit 0', CONNECT_LIMIT);
      if (timedOut) throw new Error(`it does not answer within ${CONNECT_LIMIT / 1000} s`);
      if (exitCode !== 0) throw socket.refusal() ?? new Error(failureReason(exitCode, output));
      return shell;
    } catch (error) {
      await shell.close();
      throw error;
    }
  }

  /** @param timeout in ms */
  run(command: string, timeout: number): Promise<CommandResult> {
    return this.#commands.runProgram([...this.#words, '-T', '--', HOST, command], { timeout });
  }

  async close(): Promise<void> {
    await this.#commands.close();
    await this.#socket.close();
  }
}

/** The environment variables of ssh. */
function variablesOf(socket: LocalSocket): Readonly<Record<string, string>> {
  return {
    SHELL: '/bin/sh',
    TASKWRIGHT_NODE: process.execPath,
    TASKWRIGHT_BRIDGE: BRIDGE,
    TASKWRIGHT_SOCKET: socket.path,
    // Set if our processes run in VS Code's executable.
    ELECTRON_RUN_AS_NODE: '1',
  };
}

/** A program for a terminal. */
export interface TerminalProgram {
  readonly words: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  /** Called when it has ended. */
  close(): Promise<void>;
}

/** Why the shell of an environment cannot be opened on this machine, and what to do. */
export interface NoTerminal {
  readonly missing: string;
}

/** The shell of a running environment, for a terminal; null if it offers none. */
export async function terminalShell(address: string): Promise<TerminalProgram | NoTerminal | null> {
  const session = await HudSession.open(address);
  const { capabilities } = session;
  await session.close();
  const capability = capabilities.find(({ protocol }) => protocol.startsWith(PROTOCOL));
  if (capability === undefined) return null;
  if (!isShell(capability)) return { missing: l10n.t('The shells of environments do not open on Windows. Use WSL.') };
  if ((await findProgram('ssh')) === null) {
    const missing = l10n.t('The shell opens through ssh, which this machine does not have. Install an OpenSSH client.');
    return { missing };
  }
  const socket = await openLocalSocket(address, capability.name);
  try {
    const words = await sshArguments(socket.folder, capability.params);
    return { words: [...words, '-t', '--', HOST], variables: variablesOf(socket), close: () => socket.close() };
  } catch (error) {
    await socket.close();
    throw error;
  }
}

/** On Windows, ssh passes no variables to the program that connects it to the tunnel. */
export function isShell({ protocol }: Capability): boolean {
  return protocol.startsWith(PROTOCOL) && process.platform !== 'win32';
}

/** Why a command without effect failed. */
function failureReason(exitCode: number | null, output: string): string {
  if (exitCode === 127) return 'this machine has no `ssh`';
  return output.trim().split('\n')[0] || `ssh ended with exit code ${exitCode}`;
}

/** The program with the arguments before a command. It ignores the user's settings, and does not prompt. */
async function sshArguments(folder: string, params: Capability['params']): Promise<readonly string[]> {
  const { user, host_pubkey: hostKey, client_key: key, client_key_path: keyPath } = params;
  const knownHosts = join(folder, 'known-hosts');
  const hostLine = typeof hostKey === 'string' ? (hostKey.split('\n')[0] ?? '') : '';
  await writeFile(knownHosts, hostLine === '' ? '' : `${HOST} ${hostLine}\n`);
  let identity = typeof keyPath === 'string' ? keyPath : null;
  if (typeof key === 'string') {
    identity = join(folder, 'key');
    await writeFile(identity, key.endsWith('\n') ? key : `${key}\n`, { mode: 0o600 });
  }
  const options = [
    'BatchMode=yes',
    'IdentitiesOnly=yes',
    'IdentityAgent=none',
    'LogLevel=ERROR',
    `HostKeyAlias=${HOST}`,
    `StrictHostKeyChecking=${hostLine === '' ? 'no' : 'yes'}`,
    `UserKnownHostsFile="${knownHosts}"`,
    'GlobalKnownHostsFile=none',
    'UpdateHostKeys=no',
    `ProxyCommand=${PROXY}`,
  ];
  return [
    ...['ssh', '-F', 'none', '-l', typeof user === 'string' ? user : 'agent'],
    ...(identity === null ? [] : ['-i', identity]),
    ...options.flatMap((option) => ['-o', option]),
  ];
}
