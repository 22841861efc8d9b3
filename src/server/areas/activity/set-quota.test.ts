import { expect, it } from 'vitest'
import { setQuota } from '#contract/activity.ts'
import { newId } from '#edge/ids.ts'
import { sql } from '#lib/db/sql.ts'
import { startSystem } from '#test/system.ts'

it('DS-18 an operator sets the quota of one organization, on record, and takes it back with null', async () => {
  await using system = await startSystem({ env: { SVC_QUESTIONS_PER_MINUTE: '7' } })
  const { org_id } = await system.member()
  const set = await system.operator.call(setQuota, { org_id, per_minute: null, per_day: 9 })
  expect(set).toEqual({ org_id, per_minute: 7, per_day: 9 })
  const back = await system.operator.call(setQuota, { org_id, per_minute: null, per_day: null })
  expect(back).toEqual({ org_id, per_minute: 7, per_day: 5000 })
  const audited = await system.db.query<{ detail: object }>(sql`
    select actor, detail from svc.audit where action = 'quota.set' and target = ${org_id} order by id`)
  expect(audited).toEqual([
    { actor: 'operator', detail: { per_minute: null, per_day: 9 } },
    { actor: 'operator', detail: { per_minute: null, per_day: null } },
  ])
  const negative = system.operator.call(setQuota, { org_id: newId('org'), per_minute: -1, per_day: null })
  await expect(negative).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
  const nobody = system.operator.call(setQuota, { org_id: 'acme', per_minute: 1, per_day: 1 })
  await expect(nobody).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
})
