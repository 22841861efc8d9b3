import { expect, it } from 'vitest'
import { disconnectAgent, listAgents } from '#contract/auth/agents.ts'
import { startConnector } from '#test/agents/connector.ts'
import { sendMcp } from '#test/agents/mcp.ts'
import { needs } from '#test/stores.ts'

needs('postgres')('many calls of one agent at once', () => {
  it('AU-14 are all refused when they begin after its person was told that it is disconnected', async () => {
    await using connector = await startConnector()
    const { system } = connector
    const clientId = await connector.client()
    const person = await connector.person()
    const client = system.client(person.token)
    for (let round = 0; round < 3; round++) {
      const { access_token } = await connector.connect(person, clientId)
      const call = async () => (await sendMcp(`${system.url}/mcp/platform`, access_token)).status
      const many = () => Promise.all(Array.from({ length: 50 }, call))
      expect(new Set(await many())).toEqual(new Set([200]))
      // Checks of these are under way when the connection ends.
      const during = many()
      const { items } = await client.call(listAgents, {})
      for (const { id } of items) await client.call(disconnectAgent, { id })
      expect(new Set(await many())).toEqual(new Set([401]))
      for (const status of await during) expect([200, 401]).toContain(status)
    }
  })
})
