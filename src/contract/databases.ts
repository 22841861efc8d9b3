import { z } from 'zod'
import { IdInput } from './core/inputs.ts'
import { NO_BODY } from './core/limits.ts'
import { jsonDelete, jsonGet, jsonPost } from './core/methods.ts'
import { operation } from './core/operation.ts'
import { listOf, pageInput } from './core/paging.ts'

const developer = { principals: ['user', 'api_token'], role: 'developer', scope: null, org: 'token' } as const

export const DatabaseName = z
  .string()
  .regex(
    /^[a-z][a-z0-9_]{0,47}$/,
    'must be a lower-case letter, followed by up to 47 lower-case letters, digits and underscores',
  )

export const Database = z.object({
  name: z.string(),
  state: z
    .enum(['creating', 'ready', 'dropping', 'failed'])
    .describe('`failed`: it could not be created; creating it again continues where that stopped'),
  created_at: z.iso.datetime(),
  data_source: z
    .object({ enabled: z.boolean(), exposed: z.boolean() })
    .nullable()
    .describe('Null if it was never switched on as a data source'),
})
export type Database = z.infer<typeof Database>

export const createDatabase = operation({
  ...jsonPost,
  name: 'databases.create',
  path: '/api/wf/databases',
  summary: 'Create a managed database',
  description: 'Creates a Postgres database with pgvector, its own role as owner, and its own password.',
  access: { ...developer, support: 'refused' },
  rateLimits: [{ name: 'database-create', per: 'org', limit: 60, windowSeconds: 3600 }],
  errors: ['CONFLICT', 'DATABASE_LIMIT', 'UNAVAILABLE'],
  idempotent: true,
  status: 201,
  input: z.object({ name: DatabaseName }),
  output: Database.extend({
    warnings: z.array(z.string()).describe('Problems for the operator of the installation; usually empty'),
  }),
})

export const listDatabases = operation({
  ...jsonGet,
  name: 'databases.list',
  path: '/api/wf/databases',
  summary: 'List the managed databases of the organization',
  access: developer,
  input: z.object(pageInput),
  output: listOf(Database),
})

export const databaseSizes = operation({
  ...jsonGet,
  name: 'databases.size',
  path: '/api/wf/database-sizes',
  summary: 'Show how much disk space managed databases use',
  description:
    'Counts files, and starts no database that is stopped. An embedded database has about 40 MB of its own. Names without a database are left out.',
  access: developer,
  rateLimits: [{ name: 'database-sizes', per: 'principal', limit: 60, windowSeconds: 60 }],
  errors: ['UNAVAILABLE'],
  input: z.object({
    names: z
      .string()
      .max(5_000)
      .regex(
        /^[a-z][a-z0-9_]{0,47}(?:,[a-z][a-z0-9_]{0,47}){0,99}$/,
        'must be at most 100 names of databases, joined by commas',
      ),
  }),
  output: z.object({
    items: z.array(
      z.object({
        name: z.string(),
        bytes: z.int().nullable().describe('Null if it is not known, as for one that is not ready'),
      }),
    ),
  }),
})

export const readConnection = operation({
  ...jsonGet,
  name: 'databases.connection',
  path: '/api/wf/databases/{name}/connection',
  summary: 'Get the connection string of a managed database',
  description:
    'For psql and any Postgres driver. It contains the password of the owner role. Each read is recorded in the audit log.',
  access: { ...developer, support: 'refused' },
  errors: ['CONFLICT', 'UNAVAILABLE'],
  input: z.object({ name: DatabaseName }),
  output: z.object({ connection_string: z.string() }),
})

export const dumpDatabase = operation({
  kind: 'stream',
  method: 'GET',
  effect: 'read',
  bodyLimit: NO_BODY,
  name: 'databases.dump',
  path: '/api/wf/databases/{name}/dump',
  summary: 'Dump a managed database as SQL',
  description:
    'The output of pg_dump in parts, as of one moment: schema and rows, without owners and privileges, for `psql -f`. Each dump is recorded in the audit log.',
  access: { ...developer, role: 'owner', support: 'refused' },
  concurrency: { name: 'database-dumps', perPerson: 1, perOrg: 1 },
  errors: ['CONFLICT', 'RATE_LIMITED', 'UNAVAILABLE'],
  input: z.object({ name: DatabaseName }),
  event: z.object({
    sql: z.string().describe('The next part of the dump'),
    total_bytes: z
      .int()
      .nullable()
      .describe('UTF-8 bytes of all parts, in the last record only. A dump without it is not complete'),
  }),
})

export const dropDatabase = operation({
  ...jsonDelete,
  name: 'databases.drop',
  path: '/api/wf/databases/{name}',
  summary: 'Drop a managed database and everything in it',
  description: 'Repeat the name as `confirm`. Refused while the database is exposed as a data source.',
  access: { ...developer, role: 'admin', support: 'refused' },
  errors: ['DATABASE_EXPOSED', 'UNAVAILABLE'],
  input: z.object({ name: DatabaseName, confirm: IdInput.describe('The name again, to confirm') }),
  output: z.object({ name: z.string(), dropped: z.literal(true) }),
})
