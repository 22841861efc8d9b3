import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { createVectors, DIMENSIONS, SEED, toText } from './vectors.ts'

const COUNT = 256

/** Returns vectors around the centres of the rows, equal to no row. */
export function makeQuestions(): string[] {
  const next = createVectors(SEED + 1)
  return Array.from({ length: COUNT }, () => toText(next()))
}

export const MODEL = 'stub/vectors'
type Embedder = AsyncDisposable & { provider: object }

/** Starts an OpenAI-compatible provider that returns the vector of `question 17`, whatever text follows the number. */
export async function startEmbedder(questions: readonly string[]): Promise<Embedder> {
  const answer = (vector: string) =>
    `{"object":"list","model":"vectors","data":[{"object":"embedding","index":0,"embedding":${vector}}],"usage":{"prompt_tokens":4,"total_tokens":4}}`
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const [, number] = /question (\d+)/.exec(await text(request))!
    const body = answer(questions[Number(number)]!)
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
  }
  const server = createServer((request, response) => void respond(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const [name, model] = MODEL.split('/')
  return {
    provider: { name, base_url, kind: 'openai', models: [{ name: model, dimensions: DIMENSIONS }] },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
