import { PersonClaim, type PersonSettings } from '#contract/data-sources/person-settings.ts'
import type { Relation } from './catalogue.ts'
import { tableText } from './check-table.ts'
import type { Reporter } from './findings.ts'
import { shown } from './names.ts'

/** Settings of Postgres, of its languages, of pgvector and of svc. What the server has installed is added to them. */
const RESERVED_PREFIXES = new Set([
  'auto_explain',
  'citus',
  'cron',
  'hnsw',
  'ivfflat',
  'plperl',
  'plpgsql',
  'plpython3u',
  'pltcl',
  'plv8',
  'postgis',
  'postgres',
  'postgresql',
  'session',
  'svc',
  'timescaledb',
  'vector',
  'vectors',
])

/** Longer names are no settings of Postgres. */
const MAX_NAME_LENGTH = 63
/** Lower case only, because Postgres compares names of settings without case. */
const NAME = /^[a-z_][a-z0-9_]*(?:\.[a-z_][a-z0-9_]*)+$/

/** Returns the settings of a mapping without faults, otherwise undefined. */
export function readPersonSettings(
  sent: Readonly<Record<string, string>>,
  installedPrefixes: readonly string[],
  report: Reporter,
): PersonSettings | undefined {
  const entries = Object.entries(sent)
  if (entries.length === 0) return report.problem('', 'must name a setting, for example {"app.email": "email"}')
  const read = entries.flatMap(([name, text]) => {
    const claim = PersonClaim.safeParse(text)
    const fault = nameFault(name, installedPrefixes)
    if (fault !== undefined) report.problem(shown(name), fault)
    if (!claim.success) report.problem(shown(name), `must be ${PersonClaim.options.join(', ')}`)
    return claim.success && fault === undefined ? [[name, claim.data] as const] : []
  })
  return read.length === entries.length ? Object.fromEntries(read) : undefined
}

function nameFault(name: string, installedPrefixes: readonly string[]): string | undefined {
  if (!NAME.test(name) || name.length > MAX_NAME_LENGTH)
    return `must be a prefix of your own, a dot and a name, in lower case and at most ${MAX_NAME_LENGTH} characters, such as app.email`
  const prefix = name.slice(0, name.indexOf('.'))
  const isReserved = prefix.startsWith('pg') || RESERVED_PREFIXES.has(prefix) || installedPrefixes.includes(prefix)
  return isReserved ? `"${prefix}" is a prefix of Postgres, of an extension or of svc: use one of your own` : undefined
}

/** Reports where it is not sure that the policies of the table decide about every row that a question finds. */
export function checkPolicies(relation: Relation, names: readonly string[], report: Reporter): undefined {
  const table = tableText(relation)
  const refuse = (message: string) => report.problem('table', `${message} (person_settings)`)
  if (relation.kind === 'v')
    return refuse(`${table} is a view, which reads its tables as its owner: name the table that has the policies`)
  if (!'rp'.includes(relation.kind))
    return refuse(`${table} is a materialized view or a foreign table, which has no policies`)
  if (!relation.row_security) return refuse(`${table} has no row-level security${hintOf(relation)}`)
  if (relation.reader_bypasses) return refuse(`the role that questions use bypasses the row-level security of ${table}`)
  const isMentioned = names.some((name) => relation.policies.some((policy) => policy.includes(`'${name}'`)))
  if (!isMentioned)
    report.warn(
      `no policy of ${table} mentions ${names.join(' or ')}: unless a function that it calls does, every person finds the same rows`,
    )
}

function hintOf({ partition }: Relation): string {
  if (partition) return ', and the policies of the partitioned table do not hold for a partition that is named itself'
  return ': alter table … enable row level security, and create a policy'
}
