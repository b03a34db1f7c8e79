// The first thing that runs, whatever Node it is: nothing in here may be newer than the oldest Node that is around,
// or the person would see a syntax error in place of these words.
const wanted = 22;
if (Number(process.versions.node.split('.')[0]) < wanted) {
  process.stderr.write(
    `Taskwright needs Node.js ${wanted} or newer; this is ${process.version}. Get a newer one from https://nodejs.org and try again.\n`,
  );
  process.exitCode = 2;
} else {
  // Required here, because an old Node does not know the names of what it imports.
  const { keepCompiled } = require('../server/compiled.ts') as typeof import('../server/compiled.ts');
  keepCompiled();
  // Bundled beside this file, so that it is read only where it can be understood.
  require('./commands.js');
}
