import { type Attack, slow, visits } from './attack.ts';

/** Pages that are hard to observe. */
export const HOSTILE_PAGES: readonly Attack[] = [
  visits('deny', 'nests its page twenty thousand elements deep', '/deep'),
  visits('deny', 'nests shadow roots two thousand deep', '/shadows'),
  slow(visits('deny', 'names a button with twenty megabytes', '/label')),
  visits('deny', 'fills its page with two hundred thousand elements', '/elements'),
  visits('deny', 'never ends its document', '/endless'),
  visits('deny', 'redirects without end', '/redirects'),
  visits('exhaust', 'sends downloads without end', '/downloads'),
  visits('deny', 'asks for a password', '/login'),
  visits('deny', 'animates without end', '/animated'),
  visits('deny', 'draws a canvas larger than a picture can be', '/canvas'),
  visits('deny', 'opens and closes windows that talk to it', '/windows'),
  visits('deny', 'asks for permissions, printing, and the whole screen', '/permissions'),
  visits('exhaust', 'starts workers without end', '/workers'),
  visits('exhaust', 'fills its storage', '/storage'),
  slow(visits('deny', 'crashes the process of its page', '/memory')),
  visits('forge', 'defines elements that answer for it', '/elements-of-its-own'),
  slow(visits('forge', 'changes its page while it is read', '/mutations')),
  visits('deny', 'writes its document anew all the time', '/written'),
  visits('deny', 'holds two hundred frames in frames', '/framed'),
  visits('deny', 'installs a service worker and a policy', '/policy'),
];
