/** The id of a source on the wire and in Activity: `db_<database name>`. */
export function sourceIdOf(databaseName: string): string {
  return `db_${databaseName}`
}

/** Whether a typed id means this source: by its internal id or by its source id. */
export function isNamed({ id, database_name }: { id: string; database_name: string }, typedId: string): boolean {
  return typedId === id || typedId === sourceIdOf(database_name)
}
