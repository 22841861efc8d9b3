import type { Client } from '#contract/core/client.ts'

export type ExampleDeps = {
  /** Returns a client that calls the API with this token. */
  clientOf: (token: string) => Client
  /** Ends the load of the model, which nothing else waits for. */
  stopping?: AbortSignal
  /** The key of the owner of the organization that gets the example. */
  account: { readonly api_key: string }
}
