// An identity provider for trying out sign-in on one machine. It checks no password, so it listens on loopback only.
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { parseArgs } from 'node:util'
import { Provider } from 'oidc-provider'
import { answerSignIn, signInAddress } from './sign-in-page.js'

const HELP = `Usage: node examples/identity-provider/start.js [port] [address of svc]

An identity provider for trying out sign-in on one machine. It checks no password, so it listens on 127.0.0.1 only.

  port            where it listens (default: 9000)
  address of svc  where people open svc (default: http://localhost:8080)

It prints the command that starts svc with it, and runs until you press Ctrl-C. Sign in with any name:
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
const provider = withoutProductionAdvice(() => new Provider(issuer, configuration()))
const answer = provider.callback()
server.on('request', (request, response) => {
  answerSignIn(provider, request, response)
    .then((isAnswered) => isAnswered || answer(request, response))
    .catch((error) => {
      console.error(error.message)
      response.destroy()
    })
})

const variables = [
  `SVC_REDIRECT_BASE_URL=${svc}`,
  `SVC_OIDC_ISSUER=${issuer}`,
  `SVC_OIDC_CLIENT_ID=${client.id}`,
  `SVC_OIDC_CLIENT_SECRET=${client.secret}`,
  `SVC_OIDC_LABEL='the example'`,
]
console.log(`The example identity provider is ready at ${issuer}. It checks no password, and only this machine reaches it.

1. Stop svc if it runs. In a second terminal, in the checkout, paste all of this. svc must answer at ${svc}:

${variables.join(' \\\n')} \\
${startCommand()}

2. Open ${svc}/auth/login and sign in as "owner", who is owner@example.com, the first owner.

The client secret is a new one at each start of this program, so start svc again with the new lines then.
Press Ctrl-C to stop.
`)

function configuration() {
  return {
    clients: [{ client_id: client.id, client_secret: client.secret, redirect_uris: [`${svc}/auth/oidc/callback`] }],
    cookies: { keys: [randomBytes(32).toString('hex')] },
    jwks: { keys: [generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' })] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, { uid }) => signInAddress(uid) },
    loadExistingGrant: grantAll,
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
  }
}

/** Grants what svc asks for without a page of its own, because a company does so for its programs. */
async function grantAll({ oidc }) {
  const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId })
  grant.addOIDCScope('openid email profile')
  await grant.save()
  return grant
}

/** The library warns of its store in memory. This program loses everything at its end on purpose. */
function withoutProductionAdvice(make) {
  const { warn } = console
  console.warn = () => {}
  try {
    return make()
  } finally {
    console.warn = warn
  }
}

/** The port of svc follows from its address, unless that of the default. */
function startCommand() {
  const { port: svcPort } = new URL(svc)
  return svcPort === '' || svcPort === '8080' ? 'npm start' : `PORT=${svcPort} npm start`
}

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
