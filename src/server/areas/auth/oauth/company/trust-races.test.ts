import { afterAll, beforeAll, expect, it } from 'vitest'
import { deleteCompanyClient, endCompanySignOn } from '#contract/auth/company-sign-on.ts'
import { testClock } from '#lib/time/clock.ts'
import { COMPANY_ENV, makeCompany } from '#test/agents/company.ts'
import { type Connector, startConnector } from '#test/agents/connector.ts'
import { callTool } from '#test/agents/mcp.ts'
import { needs } from '#test/stores.ts'

const ROUNDS = [1, 2, 3, 4, 5]
const PEOPLE = ['ada', 'bob', 'carl', 'dora']

needs('postgres')('trust that is taken away while agents connect', () => {
  const clock = testClock(new Date())
  let c: Connector
  beforeAll(async () => {
    c = await startConnector({ clock, env: COMPANY_ENV })
  })
  afterAll(() => c?.[Symbol.asyncDispose]())

  it.each(['distrusts the provider', 'removes the agent'])('AU-22 no token works after an owner %s', async (how) => {
    for (const round of ROUNDS) {
      const company = await makeCompany(c, clock)
      const subjects = PEOPLE.map((name) => `${name} ${how} ${round}`)
      for (const subject of subjects) await company.member(subject)
      const owner = c.system.client(company.owner.token)
      const { org_id } = company.owner
      const takeAway = () =>
        how === 'removes the agent'
          ? owner.call(deleteCompanyClient, { org_id, id: company.client_id })
          : owner.call(endCompanySignOn, { org_id })
      const [answers] = await Promise.all([
        Promise.all([...subjects, ...subjects].map((subject) => company.exchange(subject))),
        takeAway(),
      ])
      const tokens = answers.flatMap(({ body }) => body.access_token ?? [])
      const calls = tokens.map((token) => callTool(`${c.system.url}/mcp/platform`, token, 'data_sources_list', {}))
      expect((await Promise.all(calls)).filter(({ status }) => status !== 401)).toEqual([])
    }
  })
})
