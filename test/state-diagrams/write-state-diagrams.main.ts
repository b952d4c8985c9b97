import { writeFileSync } from 'node:fs';
import { page, pageFile } from './state-machines-page.js';

// `npm run state-diagrams` writes docs/concepts/state-machines.md
writeFileSync(pageFile, page());
