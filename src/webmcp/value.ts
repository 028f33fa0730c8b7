/** A tool's result as a native value: JSON that holds all of it, in the plainest form. Pure. */
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';

/** A tool's own error, in its own words. Its stack would show a model the insides of this module. */
export class ToolError extends Error {
  override readonly name = 'ToolError';

  constructor(message: string) {
    super(message);
    this.stack = `ToolError: ${message}`;
  }
}

/**
 * Text alone is a text, structured content alone its value; everything else is an object with both, its blocks as the
 * server sent them.
 * @throws ToolError for a result that is an error.
 */
export function valueOf(result: CallToolResult, errors: 'reject' | 'value'): unknown {
  const { content, structuredContent } = result;
  if (result.isError === true) {
    const message = errorText(result);
    if (errors === 'reject') throw new ToolError(message);
    return { error: message };
  }
  const texts = textsOf(content);
  const isTextOnly = texts !== undefined;
  if (structuredContent === undefined) return isTextOnly ? texts.join('\n') : { content };
  if (isTextOnly && texts.every((text) => saysTheSame(text, structuredContent))) return structuredContent;
  return { structuredContent, content };
}

function errorText({ content, structuredContent }: CallToolResult): string {
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : [JSON.stringify(block)]));
  if (structuredContent !== undefined && !texts.some((text) => saysTheSame(text, structuredContent))) {
    texts.push(JSON.stringify(structuredContent));
  }
  return texts.join('\n') || 'The tool failed, and did not say why.';
}

/** Undefined if a block is something else than plain text. */
function textsOf(content: readonly ContentBlock[]): readonly string[] | undefined {
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  return texts.length === content.length ? texts : undefined;
}

/** The text block that servers add for clients without structured content (spec, "Structured Content"). */
function saysTheSame(text: string, structured: unknown): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(structured);
  } catch {
    return false;
  }
}
