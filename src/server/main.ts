import { useCompileCache } from './compile-cache.ts';

useCompileCache(process.argv[2] === 'session' ? 'session' : 'server');
// Bundled beside this file, so that it is loaded after that.
require('./sessions.js');
