import { expect, it } from 'vitest'
import { readAuditSearch, toAuditInput } from './audit-search.ts'

it('CO-01 a view of the audit log is an address, whose days begin at midnight', () => {
  const search = readAuditSearch({ subject: 'member', person: 'usr_1', from: '2026-03-01', to: '2026-03-31', more: 1 })
  expect(toAuditInput(search)).toEqual({
    subject: 'member',
    user_id: 'usr_1',
    from: new Date(2026, 2, 1).toISOString(),
    to: new Date(2026, 3, 1).toISOString(),
  })
  expect(toAuditInput(readAuditSearch({ from: '2026-02-31' }))).toEqual({})
})
