import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import { isNotFound } from '../../base/file-kind.ts';
import { describeSystemError } from '../../base/system-error.ts';
import { ServerError } from '../placement.ts';

/** The version of `openenv.yaml` that Taskwright knows. */
const SPEC_VERSION = 1;
/** Where an environment serves its app if its `openenv.yaml` does not say so, as in the older form of the file. */
const DEFAULT_APP = 'server.app:app';

const manifestSchema = z.looseObject({
  spec_version: z.number().optional(),
  name: z.string().optional(),
  app: z.string().optional(),
});

/** How to serve an environment, from its `openenv.yaml`. */
export interface Manifest {
  readonly name: string;
  /** The application in the syntax of uvicorn: `server.app:app`. */
  readonly app: string;
}

/** Reads the `openenv.yaml` of a folder. Rejects with `ServerError`. */
export async function readManifest(folder: string): Promise<Manifest> {
  const path = join(folder, 'openenv.yaml');
  const read = manifestSchema.safeParse(parseYaml(path, await textOf(path, folder)));
  if (!read.success) {
    const [issue] = read.error.issues;
    throw failure(`${path} cannot be used: ${issue?.path.join('.') || 'it'}: ${issue?.message}.`);
  }
  const { spec_version = SPEC_VERSION, name = 'environment', app } = read.data;
  if (spec_version > SPEC_VERSION) {
    const message = `${path} has "spec_version: ${spec_version}"; this version of Taskwright knows ${SPEC_VERSION}.`;
    throw new ServerError('version_mismatch', message);
  }
  if (app === undefined && !existsSync(join(folder, 'server', 'app.py'))) {
    throw failure(
      `${path} names no "app", and the usual one, ${DEFAULT_APP}, is missing: there is no ${join(folder, 'server', 'app.py')}.`,
    );
  }
  return { name, app: app ?? DEFAULT_APP };
}

async function textOf(path: string, folder: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isNotFound(error)) throw failure(`${folder} is no OpenEnv environment: it has no openenv.yaml.`);
    throw failure(`${path} cannot be read: ${describeSystemError(error)}.`);
  }
}

function parseYaml(path: string, text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw failure(`${path} is no valid YAML: ${(error as Error).message.split('\n')[0]}`);
  }
}

function failure(message: string): ServerError {
  return new ServerError('start_failed', message);
}
