/** The pages that are packed with the package. What they link to and is not packed is named there without a link. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PROJECT_ROOT } from './wrangler.ts';

const AT_ROOT = ['README.md', 'LICENSE', 'CHANGELOG.md', 'SECURITY.md'] as const;

/** @returns The pages written, by their paths in the package. */
export async function writePages(folder: string): Promise<readonly string[]> {
  const documents = (await readdir(path.join(PROJECT_ROOT, 'docs'))).filter((file) => file.endsWith('.md'));
  const pages = [...AT_ROOT, ...documents.map((file) => `docs/${file}`)];
  await mkdir(path.join(folder, 'docs'), { recursive: true });
  for (const page of pages) {
    const text = await readFile(path.join(PROJECT_ROOT, page), 'utf8');
    await writeFile(path.join(folder, page), withLinksTo(pages, page, text));
  }
  return pages;
}

/** A page with the links that lead to one of the pages or elsewhere in the web; of any other its text is left. */
export const withLinksTo = (pages: readonly string[], page: string, text: string): string =>
  text.replaceAll(/(?<!!)\[([^\][]*)\]\((?!\w+:)([^)#\s]*)(#[^)\s]*)?\)/g, (link: string, name: string, file: string) =>
    file === '' || pages.includes(path.posix.join(path.posix.dirname(page), file)) ? link : name,
  );
