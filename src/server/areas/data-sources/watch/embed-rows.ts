/** Texts are the content of rows: they are embedded without being cached or logged. */
export type RowModels = {
  /** `outside`: a provider would get the texts, and the operator allowed it. */
  placeOf: (model: string) => 'here' | 'outside' | 'outside_not_allowed' | 'unknown'
  embedRows: (rows: {
    org_id: string
    model: string
    texts: readonly string[]
    signal: AbortSignal
  }) => Promise<readonly Float32Array[]>
}

/** Embeds the texts of one source, each once. */
export type EmbedTexts = (texts: readonly string[]) => Promise<readonly Float32Array[]>

const BATCH = 32

type Asking = Pick<RowModels, 'embedRows'> & {
  readonly org_id: string
  readonly model: string
  readonly signal: AbortSignal
  readonly permit: () => Promise<void>
}

/** Embeds in small parts, so that questions come between them, and asks for permission before each. */
export function embedInParts({ embedRows, permit, ...asking }: Asking): EmbedTexts {
  const vectors = new Map<string, Float32Array>()
  return async (texts) => {
    const missing = [...new Set(texts)].filter((text) => !vectors.has(text))
    for (let from = 0; from < missing.length; from += BATCH) {
      await permit()
      const part = missing.slice(from, from + BATCH)
      const embedded = await embedRows({ ...asking, texts: part })
      part.forEach((text, i) => {
        vectors.set(text, embedded[i]!)
      })
    }
    return texts.map((text) => vectors.get(text)!)
  }
}
