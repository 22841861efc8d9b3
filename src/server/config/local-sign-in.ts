import { join } from 'node:path'
import type { Config } from './config.ts'

/** Local sign-in exists only without an identity provider and on the embedded database, which mean a single machine. */
export function hasLocalSignIn({ databaseUrl, signIn, services }: Config): boolean {
  const hasProvider = signIn.google ?? signIn.microsoft ?? signIn.oidc
  return !databaseUrl && !hasProvider && services.includes('auth-service')
}

export function localCodeFile({ dataDir }: Config): string {
  return join(dataDir, 'sign-in-code')
}

/** Where mails with sign-in links are written while no mail server is configured. */
export function signInMailFolder({ dataDir }: Config): string {
  return join(dataDir, 'sign-in-mails')
}
