/** The pages for people and probes. No script, nothing from elsewhere. */
import type { RoutePaths } from './routes.ts';

const SECURITY_HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const;

export interface PageFacts {
  readonly title: string;
  readonly paths: Pick<RoutePaths, 'mcp' | 'legacy' | 'sse'>;
  readonly hasLegacy: boolean;
  readonly tools: readonly string[];
  /** The page that has the tools in the browser's model context, if there is one. */
  readonly webmcp?: string;
}

export function healthPage(): Response {
  return Response.json({ ok: true }, { headers: { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' } });
}

export function landingPage(origin: string, facts: PageFacts): Response {
  const legacy = facts.hasLegacy
    ? row(facts.paths.legacy, 'SDK v1 (<code>McpAgent</code>), Streamable HTTP with sessions', origin) +
      row(facts.paths.sse, 'SDK v1 (<code>McpAgent</code>), HTTP+SSE', origin)
    : '';
  const webmcp =
    facts.webmcp === undefined
      ? ''
      : `<p>In a browser: <a href="${escape(facts.webmcp)}">the tools in this browser's model context</a> (WebMCP).</p>\n`;
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(facts.title)}</title>
<style>
body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:3rem auto;padding:0 1rem;color:#1b1f24;background:#fff}
code{font:.9em ui-monospace,monospace;background:#f2f4f7;padding:.1em .3em;border-radius:4px}
a{color:inherit}table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.4rem .6rem;border-bottom:1px solid #d8dee6}
@media (prefers-color-scheme:dark){body{color:#e6e9ee;background:#14171b}code{background:#232931}td,th{border-color:#333b45}}
</style>
</head>
<body>
<h1>${escape(facts.title)}</h1>
<p>An MCP server. One catalogue of tools, served to clients of both protocol generations.</p>
<table>
<thead><tr><th>URL</th><th>Serves</th></tr></thead>
<tbody>${row(facts.paths.mcp, 'SDK v2 (<code>createMcpHandler</code>), 2025 and 2026-07-28 clients', origin)}${legacy}</tbody>
</table>
<p>Tools: ${facts.tools.map((tool) => `<code>${escape(tool)}</code>`).join(', ')}.</p>
${webmcp}<p>These URLs are for MCP clients: a browser that opens them gets a JSON error.</p>
</body>
</html>
`;
  return new Response(html, { headers: { 'Content-Type': 'text/html; charset=utf-8', ...SECURITY_HEADERS } });
}

const row = (path: string, serves: string, origin: string): string =>
  `<tr><td><code>${escape(origin + path)}</code></td><td>${serves}</td></tr>`;

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
