import { join } from 'node:path'
import { adminCreateOrg, adminCreateToken } from '#contract/auth/auth.ts'
import { type Client, createClient } from '#contract/core/client.ts'
import { makeSecrets } from '../help/ours.ts'
import { start } from '../help/processes.ts'

const MAIN = join(import.meta.dirname, '../../src/server/main.ts')

/** The whole product in one process, and a developer of an organization there. */
export type AppServer = AsyncDisposable & { url: string; token: string; client: Client }

export async function startAppServer(
  stores: { databaseUrl: string; redisUrl: string },
  dataDir: string,
): Promise<AppServer> {
  const secrets = makeSecrets()
  const server = await start(process.execPath, ['--max-semi-space-size=16', MAIN], /svc ready at (\S+)/, {
    env: {
      HOST: '127.0.0.1',
      PORT: '0',
      DATABASE_URL: stores.databaseUrl,
      REDIS_URL: stores.redisUrl,
      SVC_DATA_DIR: dataDir,
      SVC_ALLOW_PROCESS_DEPLOYS: 'true',
      SVC_APPS_DOMAIN: 'apps.test',
      ...secrets,
    },
  })
  const as = (token: string) =>
    createClient({ baseUrl: server.url, fetch, headers: () => ({ authorization: `Bearer ${token}` }) })
  const operator = as(secrets.SVC_OPERATOR_TOKEN)
  const { id: org_id } = await operator.call(adminCreateOrg, { name: 'Bench' })
  const person = { org_id, email: 'developer@example.com', role: 'developer', name: 'bench' } as const
  const { token } = await operator.call(adminCreateToken, person)
  return { url: server.url, token, client: as(token), [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}
