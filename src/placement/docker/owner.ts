import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import * as z from 'zod';
import { identify, isRunning, processIdentitySchema } from '../../server/processes.ts';

/** The label that says whose a container is, and the one that says what it is. */
export const OWNER_LABEL = 'taskwright.owner';
export const KIND_LABEL = 'taskwright.kind';

/** Where a process id means something: a machine, and on it what tells apart its restarts and its own containers. */
const ownerSchema = processIdentitySchema.extend({ host: z.string(), space: z.string() });
export type Owner = z.infer<typeof ownerSchema>;

/** This process, as its containers name it. */
export async function thisOwner(): Promise<Owner> {
  return { host: hostname(), space: await processSpace(), ...(await identify(process.pid)) };
}

export function ownerLabel(owner: Owner): string {
  return JSON.stringify(owner);
}

/** Whether a container's owner has certainly died. Of other machines, and of labels of others, that is not known. */
export async function isAbandoned(label: string | undefined, self: Owner): Promise<boolean> {
  const owner = readOwner(label);
  if (owner === null || owner.host !== self.host || owner.space !== self.space) return false;
  return !(await isRunning(owner));
}

function readOwner(label: string | undefined): Owner | null {
  try {
    return ownerSchema.parse(JSON.parse(label ?? ''));
  } catch {
    // A label that is not of our writing: whose the container is, is not known.
    return null;
  }
}

/** Process ids are counted anew in each container and after each start of the machine. Empty where it is not told. */
async function processSpace(): Promise<string> {
  const [boot, space] = await Promise.all([
    readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => ''),
    readlink('/proc/self/ns/pid').catch(() => ''),
  ]);
  return `${boot.trim()} ${space}`.trim();
}
