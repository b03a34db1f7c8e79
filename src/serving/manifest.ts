import { version } from '../../package.json';
import { ENVIRONMENT_NAME } from './serve.ts';

/** The text of `openenv.yaml`, by which OpenEnv's tools know an environment. */
export function manifest(port: number): string {
  const lines = [
    'spec_version: 1',
    `name: ${ENVIRONMENT_NAME}`,
    `version: "${version}"`,
    'description: Tasks for agents, served by Taskwright.',
    'type: space',
    'runtime: docker',
    `port: ${port}`,
  ];
  return `${lines.join('\n')}\n`;
}
