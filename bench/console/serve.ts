import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'

const TYPES: Record<string, string> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** Serves a built page with its compressed files, and answers everything below `/api` and `/.well-known`. */
export async function servePage(folder: string, answer: (url: URL) => unknown) {
  const server = createServer((request, response) => {
    const url = new URL(request.url!, `http://${request.headers.host}`)
    if (/^\/(?:api|\.well-known)\//.test(url.pathname)) return sendJson(response, answer(url))
    return sendFile(response, folder, url.pathname.startsWith('/assets/') ? url.pathname : '/index.html')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function sendJson(response: ServerResponse, body: unknown): void {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 1 }
  const bytes = brotliCompressSync(JSON.stringify(body), { params })
  response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'br' }).end(bytes)
}

function sendFile(response: ServerResponse, folder: string, path: string): void {
  const file = join(folder, path)
  const compressed = `${file}.br`
  const isCompressed = existsSync(compressed)
  const type = TYPES[extname(path)] ?? 'text/html'
  response
    .writeHead(200, { 'content-type': type, ...(isCompressed && { 'content-encoding': 'br' }) })
    .end(readFileSync(isCompressed ? compressed : file))
}
