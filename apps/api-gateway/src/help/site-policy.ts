import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';

const INLINE = /<script(?![^>]*\ssrc=)[^>]*>([^<]*)<\/script>/g;

/** Nothing comes from another host; the scripts inside pages, which are the same in all, are allowed by their hashes. */
function policyOf(page: string): string {
  const scripts = [...page.matchAll(INLINE)].map(([, script = '']) => script);
  const hashes = scripts.map(script => `'sha256-${createHash('sha256').update(script).digest('base64')}'`);
  return [
    "default-src 'none'",
    ["script-src 'self'", ...hashes].join(' '),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** The Content-Security-Policy of the site whose first page is `indexFile`; the site may be built again at any time. */
export class SitePolicy {
  private known: { readonly builtMs: number; readonly policy: string } | undefined;

  constructor(private readonly indexFile: string) {}

  /** Returns the policy, or undefined where the site is not built. */
  async current(): Promise<string | undefined> {
    try {
      const { mtimeMs: builtMs } = await stat(this.indexFile);
      if (this.known?.builtMs !== builtMs)
        this.known = { builtMs, policy: policyOf(await readFile(this.indexFile, 'utf8')) };
      return this.known.policy;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }
}
