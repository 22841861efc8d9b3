import { describe, expect, it } from 'vitest'
import type { FetchLike } from '#contract/core/client-send.ts'
import { createLog } from '#lib/log/log.ts'
import { testClock } from '#lib/time/clock.ts'
import { createHostedPeopleDirectory } from './directory.ts'

const ORG = 'org_1'
const TOKEN = 'x'.repeat(53)
const log = createLog('silent', { write: () => undefined })
const directoryAt = (auth: FetchLike, { clock = testClock(), timeLimitMs = 10_000 } = {}) =>
  createHostedPeopleDirectory({ auth, tokens: [TOKEN], clock, log, timeLimitMs })

const principal = {
  kind: 'api_token',
  id: 'tok_1',
  user_id: 'usr_1',
  org_id: ORG,
  role: 'owner',
  scopes: [],
  expires_at: null,
}
const answers: Record<string, unknown> = {
  '/api/v1/tokens/validate': { principal },
  '/api/v1/me': {
    kind: 'api_token',
    user: null,
    org: { id: ORG, name: 'Acme', slug: 'acme' },
    role: 'owner',
    read_only: false,
  },
  '/api/v1/orgs/org_1/members': { items: [], next_cursor: null },
}
const isTemporary = { isKnown: false, reason: 'people_unknown', isTemporary: true }

describe('AU-09 a hosted auth service that is slow or wrong', () => {
  it('is waited for no longer than the time limit', async () => {
    const silent: FetchLike = ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
    expect(await directoryAt(silent, { timeLimitMs: 20 }).organization(ORG)).toEqual(isTemporary)
  })

  it('is asked again five seconds after it failed', async () => {
    const clock = testClock()
    let isDown = true
    const auth: FetchLike = async ({ url }) => {
      if (isDown) throw new Error('down')
      return Response.json(answers[new URL(url).pathname])
    }
    const directory = directoryAt(auth, { clock })
    expect(await directory.organization(ORG)).toEqual(isTemporary)
    isDown = false
    clock.advance(5_000)
    expect(await directory.organization(ORG)).toEqual({ isKnown: true, value: { name: 'Acme', slug: 'acme' } })
  })

  it('gets one set of calls for any number of questions at once', async () => {
    const paths: string[] = []
    const auth: FetchLike = async ({ url }) => {
      paths.push(new URL(url).pathname)
      return Response.json(answers[new URL(url).pathname])
    }
    const directory = directoryAt(auth)
    await Promise.all(Array.from({ length: 50 }, (_, n) => directory.member(ORG, `usr_${n}`)))
    expect(paths).toEqual(Object.keys(answers))
  })

  it.each([
    [
      'another organization than the token’s',
      '/api/v1/me',
      { ...(answers['/api/v1/me'] as object), org: { id: 'org_2', name: 'x', slug: 'x' } },
      false,
    ],
    ['an answer of another shape', '/api/v1/orgs/org_1/members', { members: [] }, true],
    [
      'pages without end',
      '/api/v1/orgs/org_1/members',
      {
        items: Array.from({ length: 100 }, (_, n) => ({
          user_id: `usr_${n}`,
          email: 'a@b.c',
          name: null,
          role: 'admin',
          joined_at: '2026-01-01T00:00:00Z',
        })),
        next_cursor: 'more',
      },
      false,
    ],
  ])('that gives %s leaves people unknown', async (_, path, answer, temporary) => {
    const auth: FetchLike = async ({ url }) => {
      const { pathname } = new URL(url)
      return Response.json(pathname === path ? answer : answers[pathname])
    }
    expect(await directoryAt(auth).ownersAndAdmins(ORG)).toEqual({ ...isTemporary, isTemporary: temporary })
  })
})
