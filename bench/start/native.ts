import { join } from 'node:path'
import { adminCreateOrg, adminCreateToken } from '#contract/auth/auth.ts'
import { createClient } from '#contract/core/client.ts'
import { createExample, EXAMPLE_SOURCE } from '../../src/server/areas/example/index.ts'
import { makeSecrets } from '../help/ours.ts'
import { startStores } from '../help/stores.ts'
import { askMany, type Copy, start, untilAnswered } from './installation.ts'
import { memoryOf } from './memory.ts'

/** Memory in MB of the server on a Postgres of its own, with the same example after as many questions. */
export async function memoryOnPostgres(copy: Copy, questions: number): Promise<number> {
  await using stores = await startStores()
  const secrets = makeSecrets()
  const env = { DATABASE_URL: stores.databaseUrl, REDIS_URL: stores.redisUrl, ...secrets }
  await using server = await start(copy, { ...env, SVC_DATA_DIR: join(copy.root, 'native') })
  const clientOf = (token: string) =>
    createClient({ baseUrl: server.url, fetch, headers: () => ({ authorization: `Bearer ${token}` }) })
  const operator_token = secrets.SVC_OPERATOR_TOKEN
  const operator = clientOf(operator_token)
  const { id: org_id } = await operator.call(adminCreateOrg, { name: 'Bench' })
  const owner = { org_id, email: 'owner@example.com', role: 'owner', name: 'bench' } as const
  const { token } = await operator.call(adminCreateToken, owner)
  const account = { org_id, api_key: token, operator_token }
  await createExample({ clientOf, account }).make(join(copy.root, 'examples', 'handbook'))
  const source = { url: server.url, id: EXAMPLE_SOURCE, key: token }
  await untilAnswered(source)
  await askMany(source, questions)
  return memoryOf(server.pid).own
}
