import { listAppPeople, MAX_PEOPLE_PER_APP, removeAppPerson, setAppPerson } from '#contract/apps/people.ts'
import { notFound, ServiceError } from '#contract/core/errors.ts'
import { type Route, route } from '#edge/route/route.ts'
import { toAnswer } from '#edge/route/stored.ts'
import type { People } from '#ports/people.ts'
import { auditApp } from '../model/audit.ts'
import type { AppDeps } from '../model/deps.ts'
import { lockActiveApp, requireApp } from '../model/store.ts'
import { deletePart, listPeople, type PersonRow, savePart } from './store.ts'
import { peopleUnknown } from './unknown.ts'

export function peopleRoutes({ db, clock, people }: Pick<AppDeps, 'db' | 'clock' | 'people'>): Route[] {
  return [
    route(listAppPeople, async ({ alias }, { principal }) => {
      const app = await requireApp(db, principal.org_id, alias)
      const rows = await listPeople(db, app.id)
      const userIds = rows.map(({ user_id }) => user_id)
      const names = await people.displayNames(principal.org_id, userIds)
      return { items: rows.map((row) => present(row, names.isKnown ? (names.value.get(row.user_id) ?? false) : null)) }
    }),
    route(setAppPerson, async ({ alias, user_id, part }, { principal }) => {
      const { org_id } = principal
      await requireApp(db, org_id, alias)
      const member = await requireMember(people, org_id, user_id)
      const saved = await db.tx(async (tx) => {
        const app = await lockActiveApp(tx, org_id, alias)
        const others = (await listPeople(tx, app.id)).filter((person) => person.user_id !== user_id)
        if (others.length >= MAX_PEOPLE_PER_APP) throw tooManyPeople()
        const added = { added_by: principal.user_id ?? principal.id, added_at: clock.now() }
        const person = await savePart(tx, { app_id: app.id, user_id, part, ...added })
        await auditApp(tx, principal, { action: 'app.person_set', app, detail: { user_id, part }, at: clock.now() })
        return person
      })
      return present(saved, member.display_name)
    }),
    route(removeAppPerson, async ({ alias, user_id }, { principal }) => {
      await db.tx(async (tx) => {
        const app = await lockActiveApp(tx, principal.org_id, alias)
        if (!(await deletePart(tx, app.id, user_id))) throw notFound('person in this app')
        await auditApp(tx, principal, { action: 'app.person_removed', app, detail: { user_id }, at: clock.now() })
      })
      return { user_id, removed: true as const }
    }),
  ]
}

/** `name` is false for a person who is no member, and null if nobody could be asked. */
function present(row: PersonRow, name: string | false | null) {
  const display_name = name === false ? null : name
  return { ...toAnswer(row), display_name, is_member: name === null ? null : name !== false }
}

async function requireMember(people: Pick<People, 'member'>, orgId: string, userId: string) {
  const answer = await people.member(orgId, userId)
  if (!answer.isKnown) throw peopleUnknown(answer)
  if (!answer.value) throw notFound('member of this organization')
  return answer.value
}

function tooManyPeople(): ServiceError {
  return new ServiceError('APP_LIMIT', `An app can have ${MAX_PEOPLE_PER_APP} people. Remove one who needs no part.`)
}
