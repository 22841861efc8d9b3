import { z } from 'zod'
import { tryParseJson } from '#lib/json.ts'
import type { EmbedAsk, Embeddings, Vector } from './provider.ts'
import { providerFault } from './provider-fault.ts'

/** Checked in one loop, because a schema that looks at each of some hundred numbers took longer than parsing them. */
const Numbers = z.custom<number[]>(
  (value) => Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'number'),
)

const Answer = z.object({
  data: z.array(z.object({ index: z.int().optional(), embedding: Numbers })),
  usage: z.object({ prompt_tokens: z.int().min(0) }).optional(),
})

/** Reads one vector for each text, in the order of the texts. Throws if any vector is missing or not valid. */
export function readEmbeddings(name: string, body: string, { texts, dimensions }: EmbedAsk): Embeddings {
  const answer = Answer.safeParse(tryParseJson(body))
  if (!answer.success) throw providerFault(name, 'sent an answer that cannot be read')
  const { data, usage } = answer.data
  if (data.length !== texts.length) throw providerFault(name, `sent ${data.length} vectors for ${texts.length} texts`)
  const vectors: Vector[] = []
  data.forEach(({ index = vectors.length, embedding }) => {
    vectors[index] = new Float32Array(embedding)
  })
  const expected = dimensions ?? data[0]?.embedding.length
  for (let i = 0; i < texts.length; i++) {
    const vector = vectors[i]
    if (!vector) throw providerFault(name, 'sent no vector for some of the texts')
    if (vector.length !== expected) throw providerFault(name, `sent ${vector.length} dimensions, not ${expected}`)
    if (!hasOnlyFinite(vector)) throw providerFault(name, 'sent numbers out of range')
  }
  return { vectors, tokens: usage?.prompt_tokens ?? guessTokens(texts) }
}

function hasOnlyFinite(vector: Vector): boolean {
  for (const number of vector) if (!Number.isFinite(number)) return false
  return true
}

function guessTokens(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Math.ceil(Buffer.byteLength(text) / 4), 0)
}
