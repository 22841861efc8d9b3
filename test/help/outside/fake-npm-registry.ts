import { createHash } from 'node:crypto'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { createGzip } from 'node:zlib'
import { pack } from 'tar-stream'
import { CERTIFICATES } from '../kubernetes/fake-kubernetes-certificates.ts'

/** Programs go to the usual names of this machine without a proxy, and to this address through it. */
const ADDRESS = '127.0.0.2'

type Registry = AsyncDisposable & { readonly url: string; readonly asked: string[] }

/** A registry of npm on this machine, with one package in version 1.0.0, over https with a certificate that nobody trusts. */
export async function openRegistry(name: string, code: string): Promise<Registry> {
  const file = await packageOf(name, code)
  const integrity = `sha512-${createHash('sha512').update(file).digest('base64')}`
  const asked: string[] = []
  const path = `/${name}/-/${name}-1.0.0.tgz`
  const server = createServer(CERTIFICATES[0], (request, response) => {
    asked.push(request.url!)
    if (request.url === path) response.end(file)
    else if (request.url === `/${name}`) response.end(JSON.stringify(description))
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, ADDRESS, resolve))
  const url = `https://${ADDRESS}:${(server.address() as AddressInfo).port}`
  const version = { name, version: '1.0.0', dist: { tarball: url + path, integrity } }
  const description = { name, 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': version } }
  return {
    url,
    asked,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function packageOf(name: string, code: string): Promise<Buffer> {
  const archive = pack()
  archive.entry({ name: 'package/package.json' }, JSON.stringify({ name, version: '1.0.0', main: 'index.js' }))
  archive.entry({ name: 'package/index.js' }, code)
  archive.finalize()
  return buffer(archive.pipe(createGzip()))
}
