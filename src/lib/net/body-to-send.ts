import { Readable } from 'node:stream'
import { withinTurn } from '../async/race.ts'

type Reader = ReadableStreamDefaultReader<Uint8Array>
type Part = ReturnType<Reader['read']>

/**
 * Returns the body as undici sends it. One that is there as a whole is sent with its length, because some servers take
 * none without, and a Request does not tell whether it was made from a text. All others are streams.
 */
export async function bodyToSend({ body }: Pick<Request, 'body'>): Promise<Uint8Array | Readable | null> {
  if (body === null) return null
  const reader = body.getReader()
  const begun: Uint8Array[] = []
  for (;;) {
    const next = reader.read()
    // The parts of a text come without a turn of the loop. Those of a stream may take long, and the head must not wait.
    const part = await withinTurn(next)
    if (part?.done) return begun[0] ?? new Uint8Array()
    if (part && begun.length === 0) begun.push(part.value)
    else return streamOf(reader, begun, next)
  }
}

function streamOf(reader: Reader, begun: readonly Uint8Array[], next: Part): Readable {
  const stream = Readable.from(partsOf(reader, begun, next), { objectMode: false })
  const leave = () => void reader.cancel().catch(() => {})
  // Nobody waits for it if the body is given up before.
  next.catch(() => {})
  // undici stops listening to a body that it gave up, and the error of one that is destroyed later ends the process.
  return stream.on('error', () => {}).once('close', leave)
}

async function* partsOf(reader: Reader, begun: readonly Uint8Array[], next: Part): AsyncGenerator<Uint8Array> {
  yield* begun
  for (let part = await next; !part.done; part = await reader.read()) yield part.value
}
