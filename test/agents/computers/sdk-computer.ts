import {
  auth,
  Client,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import type { Person } from '../person.ts'
import { askExample } from './ask-example.ts'
import type { Computer } from './computer.ts'

type Options = { person: Person; url: string; redirectUri?: string; name?: string }

type SdkComputer = Computer & {
  readonly tokens: () => StoredOAuthTokens | undefined
  /** The address at which the code came. */
  readonly redirected: () => URL | undefined
}

/** A computer with a program that uses the official client and its OAuth code. */
export function sdkComputer({
  person,
  url,
  redirectUri = 'http://127.0.0.1:33418/callback',
  name = 'Official client',
}: Options): SdkComputer {
  let information: StoredOAuthClientInformation | undefined
  let tokens: StoredOAuthTokens | undefined
  let discovered: OAuthDiscoveryState | undefined
  let verifier = ''
  let redirected: URL | undefined
  let [opened, logins] = [0, 0]
  const provider: OAuthClientProvider = {
    redirectUrl: redirectUri,
    clientMetadata: { client_name: name, redirect_uris: [redirectUri] },
    clientInformation: () => information,
    saveClientInformation: (registered) => {
      information = registered
    },
    tokens: () => tokens,
    saveTokens: (fresh) => {
      tokens = fresh
    },
    redirectToAuthorization: async (address) => {
      opened += 1
      redirected = await person.decide(address.href)
      logins += 1
      if (!redirected.href.startsWith(redirectUri)) throw new Error(`redirected to ${redirected.href}`)
    },
    saveDiscoveryState: (state) => {
      discovered = state
    },
    discoveryState: () => discovered,
    saveCodeVerifier: (text) => {
      verifier = text
    },
    codeVerifier: () => verifier,
    invalidateCredentials: (what) => {
      if (what === 'all' || what === 'tokens') tokens = undefined
      if (what === 'all' || what === 'client') information = undefined
      if (what === 'all' || what === 'discovery') discovered = undefined
    },
  }
  const login = async () => {
    await auth(provider, { serverUrl: url })
    const { code, iss } = Object.fromEntries(redirected!.searchParams)
    await auth(provider, { serverUrl: url, authorizationCode: code!, ...(iss !== undefined && { iss }) })
  }
  const session = async (times: number, before: (question: number) => Promise<void>) => {
    const results: string[] = []
    const client = new Client({ name, version: '1.0.0' })
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { authProvider: provider }))
    try {
      for (let question = 0; question < times; question += 1) {
        if (question > 0) await before(question)
        results.push(await askExample(client))
      }
    } finally {
      await client.close()
    }
    return results
  }
  return {
    tokens: () => tokens,
    redirected: () => redirected,
    logins: () => logins,
    opensInVain: () => opened - logins,
    login,
    ask: (times = 1, before = async () => {}) =>
      session(times, before).catch((error: unknown) => [`no session: ${String(error)}`]),
  }
}
