import { z } from 'zod'
import type { EmbedAsk, Embeddings, Vector } from './provider.ts'
import { providerFault } from './provider-fault.ts'

const Answer = z.object({
  data: z.array(z.object({ index: z.int().optional(), embedding: z.array(z.number()).min(1) })),
  usage: z.object({ prompt_tokens: z.int().min(0) }).optional(),
})

/** Reads one vector for each text, in the order of the texts. Throws if any vector is missing or not valid. */
export function readEmbeddings(name: string, body: string, { texts, dimensions }: EmbedAsk): Embeddings {
  const { data, usage } = parse(name, body)
  if (data.length !== texts.length) throw providerFault(name, `sent ${data.length} vectors for ${texts.length} texts`)
  const vectors: Vector[] = []
  data.forEach(({ index = vectors.length, embedding }) => {
    vectors[index] = Float32Array.from(embedding)
  })
  const expected = dimensions ?? data[0]?.embedding.length
  for (let i = 0; i < texts.length; i++) {
    const vector = vectors[i]
    if (!vector) throw providerFault(name, 'sent no vector for some of the texts')
    if (vector.length !== expected) throw providerFault(name, `sent ${vector.length} dimensions, not ${expected}`)
    if (!vector.every(Number.isFinite)) throw providerFault(name, 'sent numbers out of range')
  }
  return { vectors, tokens: usage?.prompt_tokens ?? guessTokens(texts) }
}

function parse(name: string, body: string): z.output<typeof Answer> {
  try {
    return Answer.parse(JSON.parse(body))
  } catch {
    // The cause is dropped, because it can quote the body.
    throw providerFault(name, 'sent an answer that cannot be read')
  }
}

function guessTokens(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Math.ceil(Buffer.byteLength(text) / 4), 0)
}
