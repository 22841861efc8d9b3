import { type Connection, quoteName } from '../connection.ts'
import { triggerNameFor } from './column-name.ts'
import type { SwitchTable } from './vector-columns.ts'

/**
 * Statements for a trigger that removes the vector of a row when its text changes. It is on the column that questions do
 * not use: programs of the table maintain only the one that they know, and a switch must not bring back vectors of
 * former texts. An update that writes a vector itself keeps it.
 */
export function createTrigger(table: SwitchTable, column: string, text: readonly string[]): string[] {
  const { trigger, routine } = namesOf(table, column)
  const differs = text.map((each) => `old.${quoteName(each)}::text is distinct from new.${quoteName(each)}::text`)
  const vector = quoteName(column)
  return [
    `create or replace function ${routine}() returns trigger language plpgsql as
       $svc$ begin new.${vector} := null; return new; end $svc$`,
    `create or replace trigger ${trigger} before update on ${table.quoted} for each row
       when ((${differs.join(' or ')}) and new.${vector}::text is not distinct from old.${vector}::text)
       execute function ${routine}()`,
  ]
}

export function dropTrigger(table: SwitchTable, column: string): string[] {
  const { trigger, routine } = namesOf(table, column)
  return [`drop trigger if exists ${trigger} on ${table.quoted}`, `drop function if exists ${routine}()`]
}

export async function hasTrigger(db: Connection, table: SwitchTable, column: string): Promise<boolean> {
  const name = triggerNameFor(table.schema, table.name, column)
  const found = await db.query('select from pg_trigger where tgrelid = $1 and tgname = $2', [table.oid, name])
  return found.length > 0
}

function namesOf({ schema, name }: SwitchTable, column: string) {
  const trigger = quoteName(triggerNameFor(schema, name, column))
  return { trigger, routine: `${quoteName(schema)}.${trigger}` }
}
