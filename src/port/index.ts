/**
 * The package `hybrid-mcp/port`: takes registrations on a server as they are written for SDK v1 and SDK v2, and serves them
 * from a catalogue. Imports no SDK.
 */
export type { RegistrationContext } from './context.ts';
export type { HandlerExtra } from './extra.ts';
export { fromJsonSchema } from './json-schema.ts';
export { registrations, type RegistrationOptions } from './registrations.ts';
export type { ZodThree } from './standard.ts';
export {
  completable,
  ResourceTemplate,
  type CompleteCallback,
  type ListCallback,
  type TemplateLike,
} from './template.ts';
export type { Recorder, RegisteredAnnotations, RegisteredHandle, ToolResult } from './types.ts';
export type { Registrations } from '../shared/define/registrations.ts';
export { carries, type CarriedValues, type Carry, type ClassData } from '../shared/state/carry.ts';
export { roundTrip, type RoundTripExamples } from '../shared/state/round-trip.ts';
