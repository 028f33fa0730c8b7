/** The smallest media that clients can open. Pure data. */
import type { ContentBlock } from 'hybrid-mcp/define';

/** One red pixel. */
export const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
/** A WAVE header with no samples. */
export const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=';

export const image: ContentBlock = { type: 'image', data: PNG, mimeType: 'image/png' };
export const audio: ContentBlock = { type: 'audio', data: WAV, mimeType: 'audio/wav' };
