import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { join } from 'node:path'

/** Metadata documents by which agents describe themselves, with the redirect URIs that their makers publish. */
const DOCUMENTS: Record<string, object> = {
  'https://claude.ai/oauth/claude-code-client-metadata': {
    client_name: 'Claude Code',
    client_uri: 'https://claude.ai',
    redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'],
  },
  'https://chatgpt.com/oauth/codex/client.json': {
    client_name: 'Codex',
    client_uri: 'https://chatgpt.com',
    redirect_uris: ['http://127.0.0.1/callback', 'http://localhost/callback'],
  },
}

export const DOCUMENT_HOSTS: readonly string[] = Object.keys(DOCUMENTS).map((address) => new URL(address).host)

/** Serves the documents over https. `authority` is the file with the certificate that svc has to trust. */
export async function serveDocuments(
  folder: string,
): Promise<AsyncDisposable & { authority: string; fetched: string[] }> {
  const [key, authority] = [join(folder, 'documents.key'), join(folder, 'documents.pem')]
  const names = DOCUMENT_HOSTS.map((host) => `DNS:${host}`).join(',')
  const subject = ['-subj', '/CN=documents', '-addext', `subjectAltName=${names}`]
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1']
  execFileSync('openssl', ['req', '-x509', ...kind, '-keyout', key, '-out', authority, ...subject], { stdio: 'ignore' })
  const fetched: string[] = []
  const server = createServer({ key: readFileSync(key), cert: readFileSync(authority) }, (request, response) => {
    const address = `https://${request.headers.host}${request.url}`
    const document = DOCUMENTS[address]
    if (!document) return void response.writeHead(404).end()
    fetched.push(address)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ client_id: address, ...COMMON, ...document }))
  })
  server.listen(443)
  await once(server, 'listening')
  return {
    authority,
    fetched,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

const COMMON = {
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
}
