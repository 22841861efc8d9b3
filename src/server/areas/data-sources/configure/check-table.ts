import type { EmbeddingConfigInput } from '#contract/data-sources/search-config.ts'
import { readTableName, type TableName } from '#contract/data-sources/table-name.ts'
import { scansIteratively } from '../search/plan.ts'
import {
  type Catalogue,
  type Column,
  type Extension,
  findColumns,
  findIndexes,
  findRelation,
  findTables,
  type Index,
  type Relation,
} from './catalogue.ts'
import { contentNames } from './check-entry.ts'
import type { Reporter } from './findings.ts'
import { isSystemSchema, shown } from './names.ts'

/** A table of the database, with the columns that the entry names in it. */
export type FoundTable = {
  relation: Relation
  columns: ReadonlyMap<string, Column>
  indexes: readonly Index[]
  vector: Column | undefined
  content: readonly Column[]
}

/** Tables, partitioned tables, views, materialized views and foreign tables (`relkind`). */
const SEARCHABLE_KINDS = 'rpvmf'

/** `isByPerson`: policies are there to tell persons apart, so they are nothing to warn of. */
export async function checkTable(
  catalogue: Catalogue,
  entry: EmbeddingConfigInput,
  isByPerson: boolean,
  report: Reporter,
): Promise<FoundTable | undefined> {
  const relation = await lookUp(catalogue, entry.table, report)
  if (!relation) return undefined
  checkRights(relation, catalogue.reader, isByPerson, report)
  const columns = new Map((await findColumns(catalogue, relation.oid)).map((column) => [column.name, column]))
  const indexes = await findIndexes(catalogue, relation.oid)
  const found = { relation, columns, indexes }
  return { ...found, vector: checkVector(found, entry, report), content: checkContent(found, entry, report) }
}

async function lookUp(catalogue: Catalogue, text: string, report: Reporter): Promise<Relation | undefined> {
  const name = readTableName(text)
  const refuse = (message: string) => report.problem('table', message)
  if (!name) {
    return refuse('must be name or schema.name; put a part that contains dots or quotes in double quotes')
  }
  if (name.schema !== undefined && isSystemSchema(name.schema))
    return refuse(`"${shown(name.schema)}" is a system schema`)
  const relation = await findRelation(catalogue, name)
  if (!relation) {
    const near = report.near(text, await tableNames(catalogue, name))
    return refuse(`no table "${shown(text)}"; names are case-sensitive${near}`)
  }
  if (relation.temporary) return refuse(`"${shown(text)}" is a temporary table`)
  if (!SEARCHABLE_KINDS.includes(relation.kind)) return refuse(`"${shown(text)}" is neither a table nor a view`)
  return relation
}

/** Returns names as the entry could write them: with a schema if it wrote one, or if the schema must be written. */
async function tableNames(catalogue: Catalogue, { schema }: TableName): Promise<string[]> {
  const tables = await findTables(catalogue)
  return tables.map((table) =>
    schema === undefined && catalogue.path.includes(table.schema) ? table.name : `${table.schema}.${table.name}`,
  )
}

function checkRights(relation: Relation, reader: string, isByPerson: boolean, report: Reporter): void {
  const table = tableText(relation)
  const refuse = (message: string) => report.problem('table', message)
  if (!relation.owned) refuse(`${table} belongs to another role, so read access cannot be granted`)
  if (!relation.schema_grantable) {
    refuse(`the schema "${shown(relation.schema)}" belongs to another role, so access cannot be granted`)
  }
  if (relation.invoker) {
    refuse(`${table} is a view with security_invoker, and the role that questions use has no rights on its tables`)
  }
  if (relation.row_security && !relation.has_policy) {
    refuse(`${table} has row-level security and no policy that shows rows to ${reader}`)
  } else if (relation.row_security && !isByPerson) {
    report.warn(`${table} has row-level security: only rows that its policies show to ${reader} are found`)
  }
  if (relation.kind === 'f') report.warn(`${table} is a foreign table: its speed and availability depend on its server`)
  if (relation.open_to_all)
    report.warn(`${table} can be read by PUBLIC: the role that questions use could read all of it`)
}

type TableColumns = Pick<FoundTable, 'relation' | 'columns'>

function checkVector(
  { relation, columns }: TableColumns,
  entry: EmbeddingConfigInput,
  report: Reporter,
): Column | undefined {
  const [name] = entry.columns
  if (name === undefined || entry.columns.length > 1) return undefined
  const column = columns.get(name)
  if (!column) return report.problem('columns', missing(relation, name, columns, report))
  if (column.kind !== 'vector' || !['vector', 'halfvec'].includes(column.type)) {
    return report.problem('columns', `"${shown(name)}" is ${column.declared}: it must be vector(N) or halfvec(N)`)
  }
  if (column.size !== -1 && column.size !== entry.dimensions) {
    report.problem('dimensions', `"${shown(name)}" has ${column.size} dimensions, not ${entry.dimensions}`)
  }
  return column
}

function checkContent({ relation, columns }: TableColumns, entry: EmbeddingConfigInput, report: Reporter): Column[] {
  return contentNames(entry).flatMap((name) => {
    const column = columns.get(name)
    if (!column) report.problem('content_columns', missing(relation, name, columns, report))
    return column ?? []
  })
}

function missing(relation: Relation, column: string, columns: FoundTable['columns'], report: Reporter): string {
  return `${tableText(relation)} has no column "${shown(column)}"${report.near(column, [...columns.keys()])}`
}

export function tableText({ schema, name }: Pick<Relation, 'schema' | 'name'>): string {
  return `${shown(schema)}.${shown(name)}`
}

export function checkExtension(extension: Extension | undefined, report: Reporter): undefined {
  if (!extension) return report.problem('embedding_configs', 'the extension vector is not installed in this database')
  if (!extension.grantable) {
    report.problem(
      'embedding_configs',
      `access to the schema "${extension.schema}" of the extension vector cannot be granted`,
    )
  }
  if (!scansIteratively(extension)) {
    report.warn(`the extension vector has version ${extension.version}: before 0.8 every question compares all rows`)
  }
}
