import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { SEALED_COLUMNS } from './sealed-columns.ts'

const SRC = join(import.meta.dirname, '..', '..')
const SCHEMA = readFileSync(join(SRC, '..', 'test', 'schema.txt'), 'utf8').split('\n')

/** Sealed values that are not in a table: a cookie of a sign-in, and the check values, which belong to one key each. */
const OUTSIDE_TABLES = [
  'server/areas/hosted-sign-in/flow.ts',
  'lib/crypto/data-keys.ts',
  'lib/crypto/sealed-columns.ts',
]

const sources = globSync('**/*.ts', { cwd: SRC })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => !path.endsWith('.test.ts'))
  .map((path) => ({ path, text: readFileSync(join(SRC, path), 'utf8') }))

it('AU-08 every value that code seals belongs to a declared column, whose context it takes', () => {
  const calls = sources.flatMap(({ path, text }) => [...text.matchAll(/\.seal\(.*/g)].map(([call]) => ({ path, call })))
  expect(calls.length).toBeGreaterThan(4)
  const undeclared = calls.filter(
    ({ path, call }) => !OUTSIDE_TABLES.includes(path) && !/, [A-Z_]+(?:\.\w+)?\.context\(/.test(call),
  )
  expect(undeclared).toEqual([])
})

it('AU-08 every declared column is in the list that reseal goes through', () => {
  const declared = sources.filter(({ text }) => /: SealedColumn<[A-Z{]/.test(text)).map(({ path }) => path)
  expect(declared.sort()).toEqual([
    'edge/idempotency/idempotency.ts',
    'server/areas/apps/environment/sealed.ts',
    'server/areas/auth/sign-in/flow.ts',
    'server/areas/auth/sign-in/sealed-return.ts',
    'server/areas/databases/model/new-database.ts',
    'server/areas/notifications/channels/chat/secret.ts',
    'server/areas/notifications/channels/email/mailbox-store.ts',
    'server/areas/notifications/channels/secret.ts',
    'server/areas/notifications/channels/webhook/secret-store.ts',
    'server/areas/notifications/follow-links/store.ts',
    'server/areas/notifications/model/mail-content.ts',
    'server/areas/notifications/subscriptions/unsubscribe-token.ts',
    'server/areas/pipelines/calls/sealed.ts',
  ])
  const names = SEALED_COLUMNS.map(({ table, column }) => [...table, column].join('.'))
  expect(names.sort()).toEqual([
    'apps.environment.value',
    'auth.mailed_links.sealed_return_to',
    'auth.sign_in_flows.code_verifier',
    'auth.sign_in_flows.sealed_return_to',
    'databases.databases.owner_password',
    'databases.databases.reader_password',
    'notifications.channels.secret',
    'notifications.chat_installations.bot_token',
    'notifications.deliveries.message',
    'notifications.follow_links.token',
    'notifications.mailbox.body',
    'notifications.signing_secrets.secret',
    'notifications.subscriptions.unsubscribe_token',
    'pipelines.calls.input',
    'pipelines.calls.result',
    'svc.idempotency.body',
  ])
})

it.each(SEALED_COLUMNS)('AU-08 $table $column is a text column of the schema, found by its primary key', (sealed) => {
  const table = sealed.table.join('.')
  expect(SCHEMA.filter((line) => line.startsWith(`${table}.${sealed.column} text`))).toHaveLength(1)
  expect(SCHEMA).toContain(`${table}: PRIMARY KEY (${sealed.primaryKey.join(', ')})`)
})
