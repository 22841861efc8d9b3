// An identity provider for trying out sign-in on one machine. It checks no password, so it listens on loopback only.
//
//   node examples/identity-provider/start.js [port] [address of svc]
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { Provider } from 'oidc-provider'

const [port = '9000', svc = 'http://localhost:8080'] = process.argv.slice(2)
const client = { id: 'svc', secret: randomBytes(32).toString('hex') }

const server = createServer()
server.listen(Number(port), '127.0.0.1')
await once(server, 'listening')

const issuer = `http://127.0.0.1:${server.address().port}`
const answer = new Provider(issuer, {
  clients: [{ client_id: client.id, client_secret: client.secret, redirect_uris: [`${svc}/auth/oidc/callback`] }],
  cookies: { keys: [randomBytes(32).toString('hex')] },
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
  // Every name can sign in. Its email address is the name itself, or the name at example.com.
  findAccount: (_, name) => ({
    accountId: name,
    claims: () => ({
      sub: name,
      name,
      email: name.includes('@') ? name : `${name}@example.com`,
      email_verified: true,
    }),
  }),
}).callback()
server.on('request', (request, response) => void answer(request, response))

console.log(`Start svc with:

SVC_REDIRECT_BASE_URL=${svc}
SVC_OIDC_ISSUER=${issuer}
SVC_OIDC_CLIENT_ID=${client.id}
SVC_OIDC_CLIENT_SECRET=${client.secret}
SVC_OIDC_LABEL='the example'
`)
