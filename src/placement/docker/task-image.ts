import { join } from 'node:path';
import { BROWSER_IMAGE } from '../../environments/kind.ts';
import { listFiles } from '../task-folder.ts';
import { Build, Images } from './build.ts';
import { connect } from './connection.ts';
import type { TaskImage, TaskImageOptions } from './docker.ts';
import { fileAt } from './image.ts';

/** Builds an image from the browser image and the files of a folder of tasks. */
export async function buildTaskImage(options: TaskImageOptions): Promise<TaskImage> {
  const { installation, folder, tag, solutions, signal, progress, onBuild } = options;
  const { docker } = await connect({ signal });
  const base = await new Images(installation, onBuild).ensure(docker, BROWSER_IMAGE.name, progress, signal);
  const folderFiles = await listFiles(folder, { solutions, signal });
  const files = await Promise.all(
    folderFiles.sort((a, b) => (a.name < b.name ? -1 : 1)).map(({ name, path }) => fileAt(`tasks/${name}`, path)),
  );
  const dockerfile = join(installation, 'docker', 'tasks.Dockerfile');
  const recipe = await fileAt('Dockerfile', dockerfile);
  progress(`Building ${tag}`);
  const build = new Build(docker, { tag, dockerfile, kind: 'tasks', args: { BASE: base }, files: [recipe, ...files] });
  onBuild?.(build);
  await build.wait(signal);
  const { Id } = await docker.getImage(tag).inspect();
  return { tag, id: Id, base, files: files.length, bytes: files.reduce((sum, { size }) => sum + size, 0) };
}
