// Serves the built site at http://localhost:8090/help/ (DOCS_PORT), for writers; a running product serves the same below /help.
import { fileURLToPath } from 'node:url';
import { serve } from 'vitepress';

const port = Number(process.env.DOCS_PORT ?? 8090);
await serve({ root: fileURLToPath(new URL('..', import.meta.url)), port });
console.log(`the documentation is at http://localhost:${port}/help/`);
