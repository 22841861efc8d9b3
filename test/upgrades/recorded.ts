import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Secrets of an installation that were shown once, when it was filled. They are used nowhere else. */
export type Installation = {
  readonly org_id: string
  /** Tokens of the owner, the owner's token with a name of its own, and the token of a member. */
  readonly owner_token: string
  readonly token: string
  readonly member_token: string
}

export type Recorded = {
  readonly version: string
  readonly commit: string
  readonly recorded_at: string
  readonly embedded: Installation
  readonly postgres: Installation
}

/** Settings of the installation on Postgres, in which nothing is generated. */
export const POSTGRES_SECRETS = {
  SVC_DATA_KEY: '11'.repeat(32),
  SVC_INTERNAL_SECRET: '22'.repeat(32),
  SVC_JWT_SECRET: '33'.repeat(32),
  SVC_JWT_SIGNING_KEY: '44'.repeat(32),
  SVC_ACTOR_ASSERTION_SECRET: '55'.repeat(32),
  SVC_OPERATOR_TOKEN: `svcop_${'66'.repeat(32)}`,
} as const

/** Names the database of the platform so that those of several releases fit on one server. */
export const platformOf = (version: string) => `svc_${version.replaceAll('.', '_')}`

export const filesOf = (version: string) => {
  const folder = join(import.meta.dirname, version)
  return {
    folder,
    dataFolder: join(folder, 'data-folder.zst'),
    dump: join(folder, 'postgres.sql.zst'),
    recorded: join(folder, 'recorded.json'),
  }
}

/** Returns what was recorded of each release, the oldest first. */
export function readReleases(): Recorded[] {
  const files = globSync('*/recorded.json', { cwd: import.meta.dirname })
  const releases = files.map((file) => JSON.parse(readFileSync(join(import.meta.dirname, file), 'utf8')) as Recorded)
  return releases.sort((a, b) => a.version.localeCompare(b.version, 'en', { numeric: true }))
}
