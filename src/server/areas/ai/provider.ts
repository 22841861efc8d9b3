export type Vector = Float32Array<ArrayBuffer>
export type Embeddings = { vectors: Vector[]; tokens: number }

export type EmbedAsk = {
  /** As its provider calls it. */
  model: string
  texts: readonly string[]
  /** What a vector must have; undefined: as many as it likes, but all the same. */
  dimensions: number | undefined
  /** The caller wants that many in place of the model's own. */
  shortened: boolean
}

export type EmbedTexts = (ask: EmbedAsk, signal: AbortSignal) => Promise<Embeddings>

/** To an address of the configuration. */
export type Outgoing = (request: Request) => Promise<Response>

export type ProviderSettings = {
  readonly name: string
  /** Without a slash at its end. */
  readonly baseUrl: string
  readonly apiKey: string | undefined
  readonly kind: 'openai' | 'anthropic'
  /** Its embedding models; undefined: whatever the provider knows. */
  readonly models: readonly { readonly name: string; readonly dimensions: number }[] | undefined
}
