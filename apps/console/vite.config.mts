import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

/** Writes a `.br` and a `.gz` beside each file, so that the gateway compresses nothing at run time. */
const precompress = (): Plugin => ({
  name: 'stave-precompress',
  async writeBundle({ dir = '' }) {
    const files = await readdir(dir, { recursive: true, withFileTypes: true });
    const texts = files.filter(file => file.isFile() && /\.(?:js|css|svg)$/.test(file.name));
    for (const { parentPath, name } of texts) {
      const file = join(parentPath, name);
      const content = await readFile(file);
      await writeFile(`${file}.br`, brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }));
      await writeFile(`${file}.gz`, gzipSync(content, { level: 9 }));
    }
  },
});

/** Marks of React's server components, which mean nothing here. */
const isAboutDirectives = ({ code }: { readonly code?: string | undefined }): boolean =>
  code === 'MODULE_LEVEL_DIRECTIVE';

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  logLevel: 'warn',
  resolve: { conditions: ['@stave/source', 'module', 'browser', 'import', 'default'] },
  build: {
    outDir: 'dist/web',
    emptyOutDir: true,
    target: 'es2022',
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
    assetsInlineLimit: 0,
    rolldownOptions: {
      checks: { pluginTimings: false },
      // parts that many pages share compress better together than in a file each
      output: { codeSplitting: { groups: [{ name: 'changes', test: /console\/src\/(?:changes|forms)\// }] } },
      onwarn: (warning, warn) => {
        if (!isAboutDirectives(warning)) warn(warning);
      },
    },
  },
  worker: { format: 'es' },
  plugins: [precompress()],
});
