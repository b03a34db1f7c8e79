import { useCompileCache } from './compile-cache.ts';

useCompileCache(process.argv[2] === 'session' ? 'session' : 'server');
// A separate file, so that it is loaded through the cache.
require('./sessions.js');
