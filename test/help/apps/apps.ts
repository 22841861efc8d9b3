import { randomBytes } from 'node:crypto'
import { createApp } from '#contract/apps/apps.ts'
import type { Client } from '#contract/core/client.ts'
import type { System } from '../system.ts'

export type TestApp = { alias: string; client: Client; token: string; org_id: string }

/** Creates an organization with a developer and an app of theirs. */
export async function newApp(system: System): Promise<TestApp> {
  const { token, org_id } = await system.member('developer')
  const alias = `app-${randomBytes(4).toString('hex')}`
  const client = system.client(token)
  await client.call(createApp, { alias })
  return { alias, client, token, org_id }
}
