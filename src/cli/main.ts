// The first thing that runs, whatever Node it is: nothing in here may be newer than the oldest Node that is around,
// or the person would see a syntax error in place of these words.
const wanted = 22;
if (Number(process.versions.node.split('.')[0]) < wanted) {
  process.stderr.write(
    `Taskwright needs Node.js ${wanted} or newer; this is ${process.version}. Get a newer one from https://nodejs.org and try again.\n`,
  );
  process.exitCode = 2;
} else {
  // Bundled beside this file, so that they are read only where they can be understood.
  const compileCache = require('./compile-cache.js') as typeof import('../server/compile-cache.ts');
  // Each command uses another part of them.
  compileCache.useCompileCache(`cli-${/^[a-z]+$/.test(process.argv[2] || '') ? process.argv[2] : 'usage'}`);
  require('./commands.js');
}
