import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import pg from 'pg'

/** A minimal HTTP server that takes the vector, runs the statement and returns the rows, without authentication. */
const [url, statement] = process.argv.slice(2) as [string, string]
const pool = new pg.Pool({ connectionString: url, max: 10 })

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { vector } = JSON.parse(await text(request)) as { vector: string }
  const { rows } = await pool.query({ name: 'search', text: statement, values: [vector] })
  const body = JSON.stringify({ count: rows.length, results: rows as unknown[] })
  const length = Buffer.byteLength(body)
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': length }).end(body)
}

const server = createServer((request, response) => void respond(request, response))
server.listen(0, '127.0.0.1', () => console.log(`bare at http://127.0.0.1:${(server.address() as AddressInfo).port}`))
process.once('SIGTERM', () => process.exit(0))
