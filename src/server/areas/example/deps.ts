import type { Client } from '#contract/core/client.ts'

export type ExampleDeps = {
  /** Returns a client that calls the API with this token. */
  clientOf: (token: string) => Client
  /** Ends the load of the model, which nothing else waits for. */
  stopping?: AbortSignal
  /** The organization that gets the example, the key of its owner, and the operator's token. */
  account: { readonly org_id: string; readonly api_key: string; readonly operator_token: string }
}
