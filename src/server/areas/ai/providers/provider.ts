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
  /** Undefined accepts every model name, for chat and (with the kind `openai`) for embeddings. */
  readonly models: readonly ProviderModel[] | undefined
  /** Name of the output limit in requests of the kind `openai`. */
  readonly outputLimitKey: 'max_tokens' | 'max_completion_tokens'
}

export type ProviderModel = {
  readonly name: string
  /** Length of its vectors; undefined if it makes none. */
  readonly dimensions: number | undefined
  readonly chat: boolean
  /** Whether it can call tools. */
  readonly tools: boolean
  /** US dollars for a million tokens; undefined if it was not configured. */
  readonly price?: { readonly input: number; readonly output: number } | undefined
}
