import { createCookies } from '#edge/credentials/cookies.ts'
import type { HostedWorkload } from '#edge/credentials/workload-token.ts'
import { isDeployServing } from '../areas/apps/index.ts'
import { createAuth, type OAuthOptions, warmOAuth } from '../areas/auth/index.ts'
import { createSystemMails } from '../areas/notifications/index.ts'
import { companyIssuers } from '../config/connector.ts'
import { composeEdge } from './edge.ts'
import type { Service, ServiceParts } from './parts.ts'
import { composeSignIn } from './sign-in.ts'

export function compose(parts: ServiceParts): Service {
  const { jwtSecret, jwtSigningKey } = parts.config.secrets
  if (!jwtSecret || !jwtSigningKey) throw new Error('auth-service started without its secrets')
  const { accepted, hostedAudience, credentialsDir } = parts.config.workload
  const oauth = composeConnector(parts, jwtSecret)
  const auth = createAuth({
    ...parts,
    jwtSecret,
    jwtSigningKey,
    onRevoked: () => parts.principalCache.clear(),
    mails: createSystemMails(parts),
    signIn: composeSignIn(parts),
    ...(oauth && { oauth }),
    ...(accepted && { workload: { ...accepted, credentialsDir } }),
    ...(hostedAudience && { hostedWorkload: composeHostedWorkload(parts, hostedAudience) }),
  })
  const fetch = composeEdge(parts, {
    name: 'auth-service',
    routes: auth.routes,
    validate: (token, { clientAddress }) => auth.validate(token, 'auth-service', clientAddress),
  })
  return { fetch, ...(oauth && { warm: warmOAuth }) }
}

function composeHostedWorkload({ config, db, clock }: ServiceParts, audience: string) {
  const isServing = (workload: HostedWorkload) => isDeployServing(db, workload, clock.now())
  return { audience, internalSecret: config.secrets.internalSecret, isServing }
}

/** Returns undefined without SVC_ACTOR_ASSERTION_SECRET, which the MCP server needs to act for agents. */
function composeConnector(parts: ServiceParts, jwtSecret: string): OAuthOptions | undefined {
  const { secrets, signIn, connector } = parts.config
  if (secrets.actorAssertionSecret === undefined) return undefined
  return {
    publicUrls: parts.publicUrls,
    jwtSecret,
    actorAssertionSecret: secrets.actorAssertionSecret,
    loopbackAnyPort: connector.loopbackAnyPort,
    redirectSchemes: connector.redirectSchemes,
    clientDocuments: connector.clientDocuments,
    safeFetch: parts.safeFetch,
    cookies: createCookies(signIn.redirectBaseUrl),
    log: parts.log,
    companyIssuers: connector.companySignOn ? companyIssuers(signIn) : [],
    outgoing: parts.outgoing,
  }
}
