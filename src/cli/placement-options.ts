import { UsageError } from '../runs/usage-error.ts';
import { PLACEMENT_KINDS, type PlacementKind } from '../tasks/placement-kind.ts';
import {
  type Command,
  type CommandContext,
  type DockerChoice,
  dockerHosts,
  textOption,
  wholeNumber,
} from './command.ts';

/** The help of `PLACE_OPTIONS`. `lanes`: what `--lanes` sets, with its default. */
export function placementHelp(lanes: string): Command['help'] {
  return [
    [
      '--placement KIND',
      "Where tasks run: local, docker for a container per run, or swarm or kubernetes for lanes there. Default: the task's metadata.placement, or local",
    ],
    ['--hosts A,B,…', 'Docker hosts to distribute runs over: addresses as in DOCKER_HOST, or contexts'],
    ['--lanes N', lanes],
    ['--registry NAME', 'Registry from which nodes get images, such as registry.example.com/me'],
    ['--namespace NAME', 'Namespace in Kubernetes. Default: the one of the context of kubectl'],
  ];
}

/** The placement that the user names; null if each task decides. */
export function readPlacement(context: CommandContext): PlacementKind | null {
  const name = textOption(context, 'placement') ?? context.defaultPlacement;
  const placement = PLACEMENT_KINDS.find((kind) => kind === name) ?? null;
  if (name !== null && placement === null) {
    const kinds = PLACEMENT_KINDS.join(' or ');
    throw new UsageError('unknown_placement', `Unknown placement “${name}”. Use --placement ${kinds}.`);
  }
  return placement;
}

/** Throws `UsageError` if the options do not fit the placement. */
export function checkPlacementOptions(
  context: CommandContext,
  placement: PlacementKind | null,
  { needsImages = true }: { readonly needsImages?: boolean } = {},
): void {
  const has = (option: string): boolean => textOption(context, option) !== null;
  if (placement !== 'swarm' && placement !== 'kubernetes' && (has('lanes') || has('registry'))) {
    throw new UsageError('bad_option', '--lanes and --registry require --placement swarm or kubernetes.');
  }
  if (placement !== 'kubernetes' && has('namespace')) {
    throw new UsageError('bad_option', '--namespace requires --placement kubernetes.');
  }
  if (placement === 'kubernetes' && !has('registry') && needsImages) {
    throw new UsageError('bad_option', '--placement kubernetes requires --registry NAME, for the images.');
  }
}

/** Where the environments run. `lanes`: the number of lanes without `--lanes`. */
export function readDocker(context: CommandContext, lanes: number): DockerChoice {
  return {
    hosts: dockerHosts(context),
    lanes: wholeNumber(context, 'lanes', 1) ?? lanes,
    registry: textOption(context, 'registry'),
    namespace: textOption(context, 'namespace'),
  };
}
