export type Vector = Float32Array<ArrayBuffer>
export type Embeddings = { vectors: Vector[]; tokens: number }

export type EmbedAsk = {
  /** Name of the model at its provider. */
  model: string
  texts: readonly string[]
  /** Dimensions that a vector must have. Undefined accepts any number, if all vectors have the same. */
  dimensions: number | undefined
  /** Dimensions that the caller asks for instead of those of the model. */
  shortened: boolean
}

export type EmbedTexts = (ask: EmbedAsk, signal: AbortSignal) => Promise<Embeddings>

/** Calls the address that is configured for the provider. */
export type Outgoing = (request: Request) => Promise<Response>

export type ProviderSettings = {
  readonly name: string
  /** Base URL without a trailing slash. */
  readonly baseUrl: string
  readonly apiKey: string | undefined
  readonly kind: 'openai' | 'anthropic'
  /** Its embedding models. Undefined accepts every model name. */
  readonly models: readonly { readonly name: string; readonly dimensions: number }[] | undefined
}
