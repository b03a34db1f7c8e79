// Installs the VS Code server that the tests and `npm start` open, and prints where it is.

import { installServer } from './vscode-server-install.ts';

const server = await installServer((text) => process.stderr.write(`${text}\n`));
process.stdout.write(`${server.folder}\n`);
