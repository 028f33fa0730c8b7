/** The suite's resources and its template. URIs and texts are the suite's. */
import { defineResource, defineResourceTemplate } from 'hybrid-mcp/define';
import { PNG } from './content.ts';

export const resources = [
  defineResource({
    uri: 'test://static-text',
    name: 'static-text',
    title: 'Static text',
    description: 'A text that stays the same.',
    mimeType: 'text/plain',
    read: () => [
      { uri: 'test://static-text', mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
    ],
  }),
  defineResource({
    uri: 'test://static-binary',
    name: 'static-binary',
    title: 'Static image',
    description: 'An image that stays the same.',
    mimeType: 'image/png',
    read: () => [{ uri: 'test://static-binary', mimeType: 'image/png', blob: PNG }],
  }),
  defineResource({
    uri: 'test://watched-resource',
    name: 'watched-resource',
    title: 'Watched text',
    description: 'A text to subscribe to.',
    mimeType: 'text/plain',
    read: () => [{ uri: 'test://watched-resource', mimeType: 'text/plain', text: 'Watch me.' }],
  }),
];

export const templates = [
  defineResourceTemplate({
    uriTemplate: 'test://template/{id}/data',
    name: 'template',
    title: 'Data by id',
    description: 'The data of an id.',
    mimeType: 'application/json',
    read: ({ id = '' }, uri) => [
      {
        uri,
        mimeType: 'application/json',
        text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
      },
    ],
  }),
];
