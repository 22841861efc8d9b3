import { createAuth } from '../auth/index.ts'
import { composeEdge } from './edge.ts'
import type { Service, ServiceParts } from './parts.ts'

export function compose(parts: ServiceParts): Service {
  const { jwtSecret, jwtSigningKey } = parts.config.secrets
  if (!jwtSecret || !jwtSigningKey) throw new Error('auth-service started without its secrets')
  const auth = createAuth({ ...parts, jwtSecret, jwtSigningKey, onRevoked: () => parts.principalCache.clear() })
  const fetch = composeEdge(parts, {
    name: 'auth-service',
    routes: auth.routes,
    validate: (token, { clientAddress }) => auth.validate(token, 'auth-service', clientAddress),
  })
  return { fetch, loops: [] }
}
