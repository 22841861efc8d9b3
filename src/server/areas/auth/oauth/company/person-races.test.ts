import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { disconnectAgent, listAgents } from '#contract/auth/agents.ts'
import { setCompanySignOn } from '#contract/auth/company-sign-on.ts'
import { removeMember } from '#contract/auth/members.ts'
import { testClock } from '#lib/time/clock.ts'
import { COMPANY_ENV, type Company, makeCompany } from '#test/agents/company.ts'
import { type Connector, ISSUER, startConnector } from '#test/agents/connector.ts'
import { callTool } from '#test/agents/mcp.ts'
import { GENERIC_ISSUER } from '#test/outside/fake-idp.ts'
import { needs } from '#test/stores.ts'

const ROUNDS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
const SIX = [1, 2, 3, 4, 5, 6]

needs('postgres')('a person who ends what the company connects meanwhile', () => {
  const clock = testClock(new Date())
  let c: Connector
  let company: Company
  beforeAll(async () => {
    c = await startConnector({ clock, env: COMPANY_ENV })
    company = await makeCompany(c, clock)
  })
  afterAll(() => c?.[Symbol.asyncDispose]())
  // Refusals of the test before count towards the limit of failures.
  beforeEach(() => clock.advance(60_000))

  const trust = () =>
    c.system.client(company.owner.token).call(setCompanySignOn, {
      org_id: company.owner.org_id,
      issuer: GENERIC_ISSUER,
      scopes: ['datasources:read', 'notifications:read'],
    })

  /** Presents six assertions and does something else meanwhile. Returns the statuses, and those of calls afterwards. */
  async function connectWhile(subject: string, act: () => Promise<unknown>) {
    const assertions = await Promise.all(SIX.map(() => c.signIn.idp.assertion(company.claims(subject))))
    const [answers] = await Promise.all([Promise.all(assertions.map((text) => company.present(text))), act()])
    const tokens = answers.flatMap(({ body }) => body.access_token ?? [])
    const calls = tokens.map((token) => callTool(`${c.system.url}/mcp/platform`, token, 'data_sources_list', {}))
    return {
      answers: answers.map(({ status }) => status),
      calls: (await Promise.all(calls)).map(({ status }) => status),
    }
  }

  it('AU-22 no token works after a person disconnects the agent while it connects', async () => {
    for (const round of ROUNDS) {
      const subject = `disconnects ${round}`
      const person = c.system.client((await company.member(subject)).token)
      await company.exchange(subject)
      const [{ id } = { id: '' }] = (await person.call(listAgents, {})).items
      const { calls } = await connectWhile(subject, () => person.call(disconnectAgent, { id }))
      expect(calls.filter((status) => status !== 401)).toEqual([])
      expect((await person.call(listAgents, {})).items.map(({ ended_by }) => ended_by)).toEqual(['person'])
    }
  })

  it('AU-22 who is removed while an agent connects is refused, and no token works', async () => {
    const owner = c.system.client(company.owner.token)
    for (const round of ROUNDS) {
      const subject = `leaves ${round}`
      const { user_id } = await company.member(subject)
      const remove = () => owner.call(removeMember, { org_id: company.owner.org_id, user_id })
      const { answers, calls } = await connectWhile(subject, remove)
      expect(answers.filter((status) => status !== 200 && status !== 400)).toEqual([])
      expect(calls.filter((status) => status !== 401)).toEqual([])
    }
  })

  it('AU-22 a person and an owner who end the same connections do not fail', async () => {
    await trust()
    for (const round of ROUNDS) {
      const subject = `ends ${round}`
      const person = c.system.client((await company.member(subject)).token)
      await company.exchange(subject)
      await company.exchange(subject, { resource: `${ISSUER}/mcp/notifications` })
      const [{ id } = { id: '' }] = (await person.call(listAgents, {})).items
      const disconnect = person.call(disconnectAgent, { id }).catch((error: { code: string }) => error.code)
      const [ended] = await Promise.all([disconnect, trust(), trust()])
      // The owner may have been first.
      expect([2, 'NOT_FOUND']).toContain(typeof ended === 'string' ? ended : ended.connections)
    }
  })
})
