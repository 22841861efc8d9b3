import { createAuth, createWorkloadValidator } from '../auth/index.ts'
import { composeEdge } from './edge.ts'
import type { Service, ServiceParts } from './parts.ts'
import { composeSignIn } from './sign-in.ts'

export function compose(parts: ServiceParts): Service {
  const { jwtSecret, jwtSigningKey } = parts.config.secrets
  if (!jwtSecret || !jwtSigningKey) throw new Error('auth-service started without its secrets')
  const { accepted, credentialsDir } = parts.config.workload
  const auth = createAuth({
    ...parts,
    jwtSecret,
    jwtSigningKey,
    onRevoked: () => parts.principalCache.clear(),
    signIn: composeSignIn(parts),
    ...(accepted && { workload: createWorkloadValidator(parts, { ...accepted, credentialsDir }) }),
  })
  const fetch = composeEdge(parts, {
    name: 'auth-service',
    routes: auth.routes,
    validate: (token, { clientAddress }) => auth.validate(token, 'auth-service', clientAddress),
  })
  return { fetch, loops: [] }
}
