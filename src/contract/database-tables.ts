import { z } from 'zod'
import { jsonGet } from './core/methods.ts'
import { operation } from './core/operation.ts'
import { DatabaseName } from './databases.ts'

export const MAX_LISTED_TABLES = 200
export const MAX_LISTED_COLUMNS = 60

const RowCount = z.object({
  rows: z.int(),
  is_estimate: z.boolean().describe('True: from the statistics of Postgres, because counting would take long'),
})
export type RowCount = z.infer<typeof RowCount>

const DatabaseColumn = z.object({
  name: z.string(),
  type: z.string().describe('As declared, for example `vector(384)`'),
  base_type: z.string().describe('Name of the type under its domains, without a length'),
  category: z.string().describe('Category of the type in Postgres (`typcategory`)'),
  is_key: z.boolean().describe('Whether it is part of the primary key'),
  dimensions: z.int().nullable().describe('Of a vector column that declares them; otherwise null'),
  filled: RowCount.nullable().describe('Rows with a vector in this column. Null for other columns, and if not known'),
})
export type DatabaseColumn = z.infer<typeof DatabaseColumn>

const DatabaseTable = z.object({
  schema: z.string(),
  name: z.string(),
  kind: z.enum(['table', 'partitioned_table', 'view', 'materialized_view', 'foreign_table']),
  rows: RowCount.nullable().describe('Null if not known, as for views: their rows are not read'),
  bytes: z
    .int()
    .nullable()
    .describe('On disk, with indexes; null for views, foreign tables and tables that are locked'),
  has_row_security: z.boolean(),
  columns: z.array(DatabaseColumn),
  columns_left_out: z.int().describe('Columns beyond those that are listed'),
})
export type DatabaseTable = z.infer<typeof DatabaseTable>

export const listTables = operation({
  ...jsonGet,
  name: 'databases.tables',
  path: '/api/wf/databases/{name}/tables',
  summary: 'List the tables and views of a managed database',
  description:
    `At most ${MAX_LISTED_TABLES} tables with ${MAX_LISTED_COLUMNS} columns each, in the order of their names; with \`table\` that table alone with all ` +
    'its columns. It reads the catalogue as the owner role, and no content of rows. Rows are counted for tables that are small, and estimated for others.',
  access: { principals: ['user', 'api_token'], role: 'developer', scope: null, org: 'token', support: 'refused' },
  rateLimits: [{ name: 'database-tables', per: 'principal', limit: 60, windowSeconds: 60 }],
  errors: ['CONFLICT', 'UNAVAILABLE'],
  input: z.object({
    name: DatabaseName,
    table: z.string().max(300).optional().describe('`name` or `schema.name`, as a search configuration writes it'),
  }),
  output: z.object({
    items: z.array(DatabaseTable),
    left_out: z.int().describe('Tables beyond those that are listed'),
  }),
})
