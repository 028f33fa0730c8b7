/** The model context of this browser, in the present form of the draft or in the older one. */

import type { WebMCP } from 'webmcp-types';

/** A tool as the browser takes it. The older form gives `execute` no signal, and another second argument. */
export interface ContextTool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: object;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly untrustedContentHint: boolean;
    readonly consequentialHint: boolean;
  };
  readonly execute: (input: unknown, second?: unknown) => Promise<unknown>;
}

export interface ModelContext {
  /** Rejects what the browser refuses. The tool is there until the signal is aborted. */
  register(tool: ContextTool, signal: AbortSignal): Promise<void>;
}

/** `navigator.modelContext`: a method that may return nothing, and, in its first versions, one to take a tool away. */
interface OlderContext {
  registerTool(tool: ContextTool, options: { signal: AbortSignal }): unknown;
  unregisterTool?(name: string): void;
}

interface Page {
  readonly document?: { readonly modelContext?: WebMCP.ModelContext };
  readonly navigator?: { readonly modelContext?: OlderContext };
}

/** Undefined in a browser without one. */
export function findModelContext(): ModelContext | undefined {
  const { document, navigator } = globalThis as Page;
  const present = document?.modelContext;
  if (typeof present?.registerTool === 'function') {
    return { register: (tool, signal) => present.registerTool(tool, { signal }) };
  }
  const older = navigator?.modelContext;
  if (typeof older?.registerTool !== 'function') return undefined;
  return {
    register: async (tool, signal) => {
      await older.registerTool(tool, { signal });
      signal.addEventListener('abort', () => takeAway(older, tool.name), { once: true });
    },
  };
}

function takeAway(context: OlderContext, name: string): void {
  try {
    context.unregisterTool?.(name);
  } catch {
    // A context that heeds the signal has taken it away already.
  }
}
