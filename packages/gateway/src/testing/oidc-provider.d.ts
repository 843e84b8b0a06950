declare module 'oidc-provider/lib/adapters/memory_adapter.js' {
  import type { AdapterFactory } from 'oidc-provider';

  /** Of one provider. */
  export function createMemoryAdapter(): AdapterFactory;
}
