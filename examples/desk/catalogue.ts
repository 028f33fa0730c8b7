/** The shipped catalogue: a small documentation desk. Every lane serves exactly this. */
import { createCatalogue } from 'hybrid-mcp/define';
import { summarizeDocument } from './prompts.ts';
import { documentTemplate, indexResource } from './resources.ts';
import { add } from './tools/add.ts';
import { getCounter, incrementCounter, resetCounter } from './tools/counter.ts';
import { lookup } from './tools/lookup.ts';
import { ping } from './tools/ping.ts';
import { qrCode } from './tools/qr-code.ts';
import { readDocument } from './tools/read-document.ts';
import { search } from './tools/search.ts';

export const deskCatalogue = createCatalogue({
  info: { name: 'hybrid-mcp-desk', title: 'Documentation desk', version: '0.1.0' },
  instructions: [
    'A documentation desk: short documents about running and migrating MCP servers, HTTP basics and technical writing.',
    'To answer a question, call search, then readDocument with the id of the best hit, and name the document you used.',
    'lookup says which role looks after which documents.',
    'Every answer of the counter tools has a handle: pass it in the next call to go on with the same counter.',
  ].join(' '),
  tools: [add, ping, search, lookup, readDocument, qrCode, incrementCounter, getCounter, resetCounter],
  prompts: [summarizeDocument],
  resources: [indexResource],
  templates: [documentTemplate],
});
