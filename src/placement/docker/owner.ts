import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import * as z from 'zod';
import { identify, isRunning, processIdentitySchema } from '../../processes/identity.ts';

/** Labels for the owner and the kind of a container. */
export const OWNER_LABEL = 'taskwright.owner';
export const KIND_LABEL = 'taskwright.kind';

/** The scope in which a process id is valid: a machine, its boot, and its process id namespace. */
const ownerSchema = processIdentitySchema.extend({ host: z.string(), space: z.string() });
export type Owner = z.infer<typeof ownerSchema>;

/** This process as the owner of containers. */
export async function thisOwner(): Promise<Owner> {
  return { host: hostname(), space: await processSpace(), ...(await identify(process.pid)) };
}

export function ownerLabel(owner: Owner): string {
  return JSON.stringify(owner);
}

/**
 * Whether the owner of a container has ended. False if that is unknown: owners on other machines, and labels that are
 * not ours.
 */
export async function isAbandoned(label: string | undefined, self: Owner): Promise<boolean> {
  const owner = readOwner(label);
  if (owner === null || owner.host !== self.host || owner.space !== self.space) return false;
  return !(await isRunning(owner));
}

function readOwner(label: string | undefined): Owner | null {
  try {
    return ownerSchema.parse(JSON.parse(label ?? ''));
  } catch {
    // Not a label of ours.
    return null;
  }
}

/** Identifies the boot and the process id namespace; empty if unknown. */
async function processSpace(): Promise<string> {
  const [boot, space] = await Promise.all([
    // Only Linux has these files.
    readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => ''),
    readlink('/proc/self/ns/pid').catch(() => ''),
  ]);
  return `${boot.trim()} ${space}`.trim();
}
