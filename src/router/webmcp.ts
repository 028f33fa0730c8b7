/**
 * What a browser loads to have the tools in its model context: a module, the client that the module loads if the browser
 * has a model context, and, if the application has one, a page.
 */
import { corsHeaders } from './answer.ts';
import type { WebmcpPart } from './routes.ts';

/** The texts that are served; `hybrid-mcp/webmcp-files` makes them. */
export interface WebmcpFiles {
  /** The module with `registerServerTools`. */
  readonly module: string;
  /** SDK v2's client, for the module. */
  readonly client: string;
  /** HTML of a page. Its inline scripts and styles are allowed, and nothing from elsewhere. */
  readonly page?: string;
}

export const partsOf = (files: WebmcpFiles | undefined): readonly WebmcpPart[] => {
  if (files === undefined) return [];
  return files.page === undefined ? ['module', 'client'] : ['module', 'client', 'page'];
};

export function createWebmcp(files: WebmcpFiles): (part: WebmcpPart, request: Request) => Promise<Response> {
  let policy: Promise<string> | undefined;
  return async (part, request) => {
    const text = files[part] ?? '';
    if (part !== 'page') return new Response(text, { headers: { ...SCRIPT_HEADERS, ...corsHeaders(request) } });
    policy ??= policyOf(text);
    return new Response(text, { headers: { ...PAGE_HEADERS, 'Content-Security-Policy': await policy } });
  };
}

const SCRIPT_HEADERS = {
  'Content-Type': 'text/javascript; charset=utf-8',
  // Named the same in every version, so a browser asks each time.
  'Cache-Control': 'no-cache',
  'X-Content-Type-Options': 'nosniff',
  // A page of another origin may load it if the door lets that origin pass.
  'Cross-Origin-Resource-Policy': 'cross-origin',
  Vary: 'Origin',
} as const;

const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-cache',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const;

/** Names each inline script and style by its digest (CSP 3, "script-src"); all else is from this origin or refused. */
async function policyOf(html: string): Promise<string> {
  const [scripts, styles] = await Promise.all(['script', 'style'].map((tag) => digests(html, tag)));
  return [
    "default-src 'none'",
    `script-src 'self'${scripts}`,
    `style-src${styles === '' ? " 'none'" : styles}`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');
}

async function digests(html: string, tag: string): Promise<string> {
  const inline = [...html.matchAll(new RegExp(`<${tag}(?![^>]*\\bsrc=)[^>]*>([^]*?)</${tag}>`, 'gi'))];
  const all = await Promise.all(
    inline.map(async ([, text = '']) => {
      const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
      return ` 'sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}'`;
    }),
  );
  return all.join('');
}
