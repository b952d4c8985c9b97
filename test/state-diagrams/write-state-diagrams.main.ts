import { writeFileSync } from 'node:fs';
import { page, pageFile } from './state-machines-page.js';

// `npm run state-diagrams`: writes the page of state machines
writeFileSync(pageFile, page());
