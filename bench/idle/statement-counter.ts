import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Passes connections on to Postgres and counts the statements that clients execute, by their text. */
export type StatementCounter = AsyncDisposable & { url: string; counts: Map<string, number> }

const SSL_REQUEST = 80_877_103
const TYPE_AND_LENGTH = 5
const QUERY = 0x51
const PARSE = 0x50
const BIND = 0x42
const EXECUTE = 0x45

export async function countStatements(databaseUrl: string): Promise<StatementCounter> {
  const counts = new Map<string, number>()
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(target.port || 5432), target.hostname)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        client.destroy()
        upstream.destroy()
      })
    }
    const read = createReader((text) => counts.set(text, (counts.get(text) ?? 0) + 1))
    client.on('data', read)
    client.pipe(upstream)
    upstream.pipe(client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  const close = async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  }
  return { url: url.href, counts, [Symbol.asyncDispose]: close }
}

/** Reads what one client sends, in pieces of any size. */
function createReader(onStatement: (text: string) => void): (chunk: Buffer) => void {
  const statements = new Map<string, string>()
  let rest = Buffer.alloc(0)
  let bound = ''
  let isStarted = false
  const take = (type: number, body: Buffer) => {
    if (type === QUERY) onStatement(textAt(body, 0))
    else if (type === PARSE) statements.set(textAt(body, 0), textAt(body, body.indexOf(0) + 1))
    else if (type === BIND) bound = textAt(body, body.indexOf(0) + 1)
    else if (type === EXECUTE) onStatement(statements.get(bound) ?? bound)
  }
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    for (;;) {
      const head = isStarted ? TYPE_AND_LENGTH : 8
      if (rest.length < head) return
      const length = isStarted ? 1 + rest.readUInt32BE(1) : rest.readUInt32BE(0)
      if (rest.length < length) return
      if (isStarted) take(rest[0]!, rest.subarray(TYPE_AND_LENGTH, length))
      else isStarted = rest.readUInt32BE(4) !== SSL_REQUEST
      rest = rest.subarray(length)
    }
  }
}

function textAt(body: Buffer, from: number): string {
  return body.subarray(from, body.indexOf(0, from)).toString().replaceAll(/\s+/g, ' ').trim()
}
