/**
 * What the protocol versions have that older ones lack, and what an older client gets in its place. An SDK's client
 * refuses a whole result for one block of a type that it does not know. Members that a version does not know are left in:
 * every version says that objects may have more members than it names. Pure.
 */
import type { SampleMessage } from '../define/questions.ts';
import type { ContentBlock } from '../define/reply.ts';

/** The first version that has all of it: most clients speak it or a newer one. */
export const HAS_ALL = '2025-11-25';

/** The version that brought each (changelogs of 2025-03-26, 2025-06-18 and 2025-11-25). */
const SINCE = {
  audio: '2025-03-26',
  resource_link: '2025-06-18',
  structuredContent: '2025-06-18',
  multipleChoice: '2025-11-25',
} as const;

/** @param version What client and server agreed on; undefined where the lane does not know, and for the newest. */
export const hasSince = (version: string | undefined, what: keyof typeof SINCE): boolean =>
  version === undefined || version >= SINCE[what];

/** The blocks as a client of this version reads them, in the same order and with all that they say. */
export function blocksFor(version: string | undefined, content: readonly ContentBlock[]): readonly ContentBlock[] {
  if (hasSince(version, 'audio') && hasSince(version, 'resource_link')) return content;
  return content.map((block, index) => {
    switch (block.type) {
      case 'audio':
        return hasSince(version, 'audio') ? block : audioAsResource(block, index);
      case 'resource_link':
        return hasSince(version, 'resource_link') ? block : linkAsText(block);
      default:
        return block;
    }
  });
}

/** A message for a client's model, where no resource can take the place of audio. */
export function sampleFor(version: string | undefined, content: SampleMessage['content']): SampleMessage['content'] {
  if (content.type !== 'audio' || hasSince(version, 'audio')) return content;
  const { data, mimeType, ...rest } = content;
  return { ...common(rest), type: 'text', text: `Audio (${mimeType}) in base64: ${data}` };
}

type Block<T extends ContentBlock['type']> = Extract<ContentBlock, { type: T }>;

/** Embedded resources carry any media type, in every version. */
function audioAsResource({ data, mimeType, ...rest }: Block<'audio'>, index: number): ContentBlock {
  const resource = { uri: `audio:block-${index + 1}`, mimeType, blob: data };
  return { ...common(rest), type: 'resource', resource };
}

function linkAsText({ uri, name, title, description, mimeType, size, ...rest }: Block<'resource_link'>): ContentBlock {
  const facts = [
    ['Resource', title === undefined || title === name ? name : `${title} (${name})`],
    ['URI', uri],
    ['Media type', mimeType],
    ['Bytes', size],
    ['Description', description],
  ] as const;
  const lines = facts.flatMap(([what, value]) => (value === undefined ? [] : [`${what}: ${value}`]));
  return { ...common(rest), type: 'text', text: lines.join('\n') };
}

/** What every type of block has in every version. */
const common = ({ annotations, _meta }: Pick<ContentBlock, 'annotations' | '_meta'>) => ({
  ...(annotations !== undefined && { annotations }),
  ...(_meta !== undefined && { _meta }),
});
