/** The bindings of the tests' Workers, which have a legacy half whether or not the shipped one has. */
import type { LegacyAgent } from './desk/worker.ts';

declare global {
  interface Env {
    LEGACY_AGENT: DurableObjectNamespace<LegacyAgent>;
  }
  namespace Cloudflare {
    interface Env {
      LEGACY_AGENT: DurableObjectNamespace<LegacyAgent>;
    }
  }
}
