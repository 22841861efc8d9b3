import {
  auth,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { testClock } from '#lib/time/clock.ts'
import {
  type Connector,
  ISSUER,
  type Person,
  PLATFORM,
  REDIRECT,
  startConnector,
  startReplica,
} from '#test/agents/connector.ts'
import { callTool } from '#test/agents/mcp.ts'

const HOUR = 3_600_000

/** One computer with an agent that uses the OAuth code of the official client. */
type Computer = {
  readonly provider: OAuthClientProvider
  /** How often the person had to approve. */
  readonly logins: () => number
  readonly code: () => string | undefined
}

describe('a month with agents on two computers', () => {
  const clock = testClock(new Date())
  let c: Connector
  let person: Person
  let server: Connector
  beforeAll(async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    c = await startConnector({ clock })
    server = c
    person = await c.person()
  })
  afterAll(async () => {
    if (server !== c) await server?.[Symbol.asyncDispose]()
    await c?.[Symbol.asyncDispose]()
    vi.useRealTimers()
  })

  /** The library knows only the time of the machine. */
  const pass = (ms: number) => {
    clock.advance(ms)
    vi.setSystemTime(clock.now())
  }
  const restart = async () => {
    if (server !== c) await server[Symbol.asyncDispose]()
    server = await startReplica(c, { clock })
  }
  const fetchFn = (input: string | URL, init?: RequestInit) =>
    fetch(String(input).replace(ISSUER, server.system.url), init)

  function computer(): Computer {
    let client: StoredOAuthClientInformation | undefined
    let tokens: StoredOAuthTokens | undefined
    let discovered: OAuthDiscoveryState | undefined
    let verifier = ''
    let code: string | undefined
    let logins = 0
    const provider: OAuthClientProvider = {
      redirectUrl: REDIRECT,
      clientMetadata: { client_name: 'Everyday agent', redirect_uris: [REDIRECT] },
      clientInformation: () => client,
      saveClientInformation: (information) => {
        client = information
      },
      tokens: () => tokens,
      saveTokens: (fresh) => {
        tokens = fresh
      },
      redirectToAuthorization: async (url) => {
        logins += 1
        const page = await c.ask(person, Object.fromEntries(url.searchParams))
        code = (await c.decide(person, page)).searchParams.get('code') ?? undefined
        c.system.secrets.push(code!)
      },
      saveDiscoveryState: (state) => {
        discovered = state
      },
      discoveryState: () => discovered,
      saveCodeVerifier: (text) => {
        verifier = text
      },
      codeVerifier: () => verifier,
    }
    return { provider, logins: () => logins, code: () => code }
  }

  const login = async ({ provider, code }: Computer) => {
    expect(await auth(provider, { serverUrl: PLATFORM, fetchFn })).toBe('REDIRECT')
    await auth(provider, { serverUrl: PLATFORM, fetchFn, authorizationCode: code()!, iss: ISSUER })
  }
  const call = async ({ provider }: Computer) => {
    const { access_token } = (await provider.tokens())!
    return (await callTool(`${server.system.url}/mcp/platform`, access_token, 'data_sources_list')).status
  }
  /** Three windows notice the expired token at once, and each refreshes it. */
  const work = async (one: Computer) => {
    if ((await call(one)) === 200) return
    const windows = await Promise.all([1, 2, 3].map(() => auth(one.provider, { serverUrl: PLATFORM, fetchFn })))
    expect(windows).toEqual(['AUTHORIZED', 'AUTHORIZED', 'AUTHORIZED'])
    expect(await call(one)).toBe(200)
  }

  it('AU-20 the official client logs in once on each of them, over expiries, races, a weekend off and restarts', async () => {
    const [laptop, desk] = [computer(), computer()]
    await login(laptop)
    await login(desk)
    for (let day = 0; day < 29; day += 1) {
      for (let hour = 0; hour < 24; hour += 8) {
        pass(8 * HOUR)
        const isWeekend = day % 7 >= 5
        await work(desk)
        if (!isWeekend) await work(laptop)
      }
      if (day % 5 === 0) await restart()
    }
    expect([laptop.logins(), desk.logins()]).toEqual([1, 1])
  })
})
