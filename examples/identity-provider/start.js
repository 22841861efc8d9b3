// An identity provider for trying out sign-in on one machine. It checks no password, so it listens on loopback only.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { parseArgs } from 'node:util'
import { Provider } from 'oidc-provider'

const HELP = `Usage: node examples/identity-provider/start.js [port] [address of svc]

An identity provider for trying out sign-in on one machine. It checks no password, so it listens on 127.0.0.1 only.

  port            where it listens (default: 9000)
  address of svc  where people open svc (default: http://localhost:8080)

It prints the variables with which svc uses it, and runs until you press Ctrl-C. Sign in with any name and any password:
"owner" is owner@example.com, the first owner; a name with an @ is an address of its own.

  node examples/identity-provider/start.js 9001 http://localhost:8090
`

const { values, positionals } = readArguments()
if (values.help) {
  process.stdout.write(HELP)
  process.exit()
}
const [port = '9000', svc = 'http://localhost:8080'] = positionals
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

function readArguments() {
  try {
    const options = { help: { type: 'boolean', short: 'h' } }
    const read = parseArgs({ options, allowPositionals: true })
    const [readPort = '0', readSvc = 'http://localhost'] = read.positionals
    if (!/^\d{1,5}$/.test(readPort)) throw new Error(`The port must be a number, not ${readPort}.`)
    if (!URL.canParse(readSvc)) throw new Error(`The address of svc must be a URL, not ${readSvc}.`)
    return read
  } catch (error) {
    process.stderr.write(`${error.message}\n\n${HELP}`)
    process.exit(2)
  }
}
