import { createDatabase, type Database, dropDatabase, listDatabases, readConnection } from '#contract/databases.ts'
import { callCommand, listCommand } from '../../call/operation-command.ts'
import { printable } from '../../terminal/printable.ts'

export const list = listCommand(listDatabases, {
  label: 'Listing databases',
  header: ['NAME', 'STATE', 'DATA SOURCE', 'CREATED'],
  row: (database, cli) => [database.name, database.state, sourceOf(database), cli.time(database.created_at)],
  none: (_, __, { config }) => `There are no managed databases yet. Create one: ${config.program} db create <name>`,
})

export const create = callCommand(createDatabase, {
  input: ([name]) => ({ name }),
  label: ([name]) => `Creating ${name}`,
  text: ({ state }, [name]) => `The database ${name} is ${state}.`,
  notes: ({ warnings }, [name], { config }) => [
    ...warnings.map((warning) => `Warning: ${warning}`),
    `Print its connection string with: ${config.program} db connect ${name} -q`,
  ],
})

export const connect = callCommand(readConnection, {
  input: ([name], _: { quiet?: boolean }) => ({ name }),
  label: ([name]) => `Opening ${name}`,
  text: ({ connection_string }) => printable(connection_string),
  notes: (_, __, ___, { quiet }) => (quiet ? [] : ['This contains the password. Do not put it into files or chats.']),
})

export const drop = callCommand(dropDatabase, {
  input: ([name]) => ({ name, confirm: name }),
  confirm: ([name]) => [`This drops the database ${name} and everything in it`, name],
  label: ([name]) => `Dropping ${name}`,
  text: (_, [name]) => `Dropped ${name}.`,
})

function sourceOf({ data_source }: Database): string {
  if (!data_source?.enabled) return 'off'
  return data_source.exposed ? 'exposed' : 'on'
}
