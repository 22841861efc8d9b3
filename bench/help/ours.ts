import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { type LoadTarget, request } from './load.ts'
import { type Server, start } from './processes.ts'
import { type Source, TOP_K } from './source.ts'

/** The release with `--built`, which takes less memory than running the sources. */
const MAIN = join(
  import.meta.dirname,
  process.argv.includes('--built') ? '../../dist/server.js' : '../../src/server/main.ts',
)
const UNREACHABLE_LIMIT = '1000000000'

type Settings = { databaseUrl: string; redisUrl: string; provider: object; dataDir: string }

/** The memory flag of `npm start`. */
const MEMORY = '--max-semi-space-size=16'

/** Starts the whole product in one process. `flags` are options of Node, such as `--cpu-prof`. */
export function startOurs(settings: Settings, secrets: Secrets, flags: readonly string[] = []): Promise<Server> {
  const { databaseUrl, redisUrl, provider, dataDir } = settings
  const env = {
    HOST: '127.0.0.1',
    PORT: '0',
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    SVC_DATA_DIR: dataDir,
    SVC_AI_PROVIDERS: JSON.stringify([provider]),
    SVC_QUESTIONS_PER_MINUTE: UNREACHABLE_LIMIT,
    SVC_QUESTIONS_PER_DAY: UNREACHABLE_LIMIT,
    ...secrets,
  }
  return start(process.execPath, [MEMORY, ...flags, MAIN], /svc ready at (\S+)/, { env })
}

export type Secrets = ReturnType<typeof makeSecrets>

export function makeSecrets() {
  const key = () => randomBytes(32).toString('hex')
  return {
    SVC_JWT_SECRET: key(),
    SVC_JWT_SIGNING_KEY: key(),
    SVC_DATA_KEY: key(),
    SVC_INTERNAL_SECRET: key(),
    SVC_ACTOR_ASSERTION_SECRET: key(),
    SVC_OPERATOR_TOKEN: `svcop_${key()}`,
  }
}

/** Repeats the same questions, or with `fresh` asks new ones that no cache has. */
export function oursAsked(base: string, { id, token }: Source, questions: number, fresh: boolean): LoadTarget {
  const url = `${base}/api/wf/slim/data-sources/${id}/query`
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json' }
  const of = (query: string) => request(url, headers, JSON.stringify({ query, top_k: TOP_K }))
  const repeatedRequests = Array.from({ length: questions }, (_, i) => of(`question ${i}`))
  let asked = 0
  const next = () => {
    const i = asked++
    return fresh ? of(`question ${i % questions}, asked for the time ${i}`) : repeatedRequests[i % questions]!
  }
  return { url, next }
}
