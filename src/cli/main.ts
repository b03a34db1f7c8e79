#!/usr/bin/env node
// The entry point on any version of Node. It must not use newer syntax, or users of an old Node would see a syntax error
// instead of this message.
const minimumVersion = 22;
if (Number(process.versions.node.split('.')[0]) < minimumVersion) {
  process.stderr.write(
    `Taskwright needs Node.js ${minimumVersion} or newer; this is ${process.version}. Get a newer one from https://nodejs.org and try again.\n`,
  );
  process.exitCode = 2;
} else {
  // Separate files, so that old versions of Node do not parse them.
  const compileCache = require('./compile-cache.js') as typeof import('../server/compile-cache.ts');
  // One cache per command, because each command uses other parts of them.
  compileCache.useCompileCache(`cli-${/^[a-z]+$/.test(process.argv[2] || '') ? process.argv[2] : 'usage'}`);
  require('./commands.js');
}
