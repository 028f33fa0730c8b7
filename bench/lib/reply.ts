/** A result of about 3 KB of JSON, as a search of documents gives it: what the micro-benchmarks pass around. Pure. */
export function threeKilobytes(): { readonly structuredContent: { readonly hits: readonly object[] } } {
  const hits = Array.from({ length: 12 }, (_, index) => ({
    id: `doc-${index}`,
    title: `How to move the ${index}th client`,
    score: 1 / (index + 1),
    excerpt: 'Clients move one by one, a percentage of new sessions at a time, and back again within seconds. '.repeat(
      2,
    ),
  }));
  return { structuredContent: { hits } };
}
