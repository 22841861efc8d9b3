import { createCookies } from '#edge/credentials/cookies.ts'
import { createHostedSignIn, type HostedSignIn } from '../areas/hosted-sign-in/index.ts'
import { countFailureOf } from './edge.ts'
import type { ServiceParts } from './parts.ts'

/** Returns undefined unless people sign in at a hosted auth service. */
export function composeHostedSignIn(parts: ServiceParts): HostedSignIn | undefined {
  const { authLoginUrl, signIn } = parts.config
  if (!authLoginUrl || !signIn.redirectBaseUrl) return undefined
  return createHostedSignIn({
    ...parts,
    auth: parts.neighbour('auth-service'),
    loginUrl: loginUrlOf(authLoginUrl),
    publicUrl: signIn.redirectBaseUrl,
    allowedRedirectBaseUrls: signIn.allowedRedirectBaseUrls,
    cookies: createCookies(signIn.redirectBaseUrl),
    countFailure: countFailureOf(parts),
    onRevoked: () => parts.principalCache.clear(),
  })
}

/** Adds the path of the sign-in page where the setting is the bare address of the service. */
function loginUrlOf(url: string): string {
  return new URL(url).pathname === '/' ? new URL('/auth/login', url).href : url
}
