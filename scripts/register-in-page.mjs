// `node --import` this where Node runs sources that use modules in `in-page` folders.

import { registerInPage } from './in-page.mjs';

registerInPage();
