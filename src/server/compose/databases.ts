import type { Spans } from '#lib/tracing/spans.ts'
import type { Loop } from '#lib/work/loop.ts'
import { sourcesOfDatabases } from '../areas/data-sources/index.ts'
import { createDatabases, type Databases, moveNoticeLoop } from '../areas/databases/index.ts'
import { createSystemMails } from '../areas/notifications/index.ts'
import type { Resources, Service, ServiceParts } from './parts.ts'
import { composePeople } from './people.ts'

type Reads = Awaited<ReturnType<Databases['openForQuestions']>>
type DatabaseParts = Pick<Resources, 'config' | 'db' | 'clock' | 'sealer' | 'log' | 'spans'>

/** Builds the area of managed databases. Use it through `parts.shared`: a process opens their engine once. */
export function composeDatabases(parts: DatabaseParts): Databases {
  const { config, spans } = parts
  // Managed databases come and go, and a pooler would have to know each of them and its roles.
  const databaseUrl = config.databaseDirectUrl ?? config.databaseUrl
  const settings = { ...config.databases, databaseUrl, dataDir: config.dataDir }
  const databases = createDatabases({ ...parts, ...settings, sources: sourcesOfDatabases })
  return spans ? tracedDatabases(databases, spans) : databases
}

/** Gives each question's search a span, without the statement and its values. */
function tracedDatabases(databases: Databases, spans: Spans): Databases {
  // Others remember facts by the object of a database, so it must be the same one every time.
  const tracedByPlain = new WeakMap<Reads, Reads>()
  const traced = (plain: Reads): Reads => ({
    reads: (work, session, local) =>
      spans.runInside({ name: 'search in a managed database', kind: 'client' }, () =>
        plain.reads(work, session, local),
      ),
  })
  const openForQuestions: Databases['openForQuestions'] = async (orgId, name) => {
    const plain = await databases.openForQuestions(orgId, name)
    const reads = tracedByPlain.get(plain) ?? traced(plain)
    tracedByPlain.set(plain, reads)
    return reads
  }
  return { ...databases, openForQuestions }
}

/** Names each further Postgres server, or the embedded engines, in the readiness. The process stays ready without it, because others answer. */
export function databaseServerChecks({ pings }: Pick<Databases, 'pings'>): NonNullable<Service['checks']> {
  return Object.fromEntries([...pings].map(([name, ask]) => [name, { ask, optional: true }]))
}

/** The mails to people whose database has a new address. */
export function composeMoveNotices(parts: ServiceParts): Loop {
  const people = composePeople(parts)
  return moveNoticeLoop({
    ...parts,
    people,
    mails: createSystemMails(parts),
    baseUrl: () => parts.publicUrls.signIn,
    onError: (error) => parts.log.error({ error }, 'a person could not be mailed about the move of a database'),
  })
}
