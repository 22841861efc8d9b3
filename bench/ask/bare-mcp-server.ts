import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { createMcpHandler, Server } from '@modelcontextprotocol/server'
import pg from 'pg'

/** A minimal MCP server with the SDK: one tool that takes the vector, runs the statement and returns the rows. */
const [url, statement] = process.argv.slice(2) as [string, string]
const pool = new pg.Pool({ connectionString: url, max: 10 })

const { fetch } = createMcpHandler(() => {
  const server = new Server({ name: 'bare', version: '1' }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/call', async ({ params }) => {
    const { rows } = await pool.query({ name: 'search', text: statement, values: [params.arguments!.vector] })
    const structuredContent = { count: rows.length, results: rows as unknown[] }
    return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
  })
  return server
})

const listener = getRequestListener((request) => fetch(request))
const server = createServer((request, response) => void listener(request, response))
server.listen(0, '127.0.0.1', () => console.log(`bare at http://127.0.0.1:${(server.address() as AddressInfo).port}`))
process.once('SIGTERM', () => process.exit(0))
