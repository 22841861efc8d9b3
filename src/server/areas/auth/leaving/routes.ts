import {
  adminDeletePerson,
  adminListDeletions,
  adminUndoDeletion,
  deleteOrg,
  readOrgDeletion,
  undoOrgDeletion,
} from '#contract/auth/deletions.ts'
import { notFound, ServiceError } from '#contract/core/errors.ts'
import { actorOf } from '#edge/credentials/actor.ts'
import { readCursor, toPage } from '#edge/route/paging.ts'
import { type Route, route } from '#edge/route/route.ts'
import type { Tx } from '#lib/db/db.ts'
import { audit } from '#ports/audit.ts'
import type { AuthDeps } from '../model/deps.ts'
import { lockOrg } from '../store/orgs.ts'
import { mailUndone } from './mail-undone.ts'
import {
  type DeletionRow,
  findDeletion,
  insertDeletion,
  pageDeletions,
  removeDeletion,
  type UndoneDeletion,
} from './store.ts'
import { findPerson, lockSoleOwnerships } from './subject-store.ts'

/** Enough for the people concerned to read their mail, also after a weekend. */
const UNDO_MS = 7 * 24 * 60 * 60_000

type Deps = Pick<AuthDeps, 'db' | 'clock' | 'mails' | 'publicUrls'>

export function deletionRoutes(deps: Deps): Route[] {
  return [...orgDeletionRoutes(deps), ...operatorRoutes(deps)]
}

function orgDeletionRoutes(deps: Deps): Route[] {
  const { db, clock } = deps
  return [
    route(readOrgDeletion, async ({ org_id }) => {
      const deletion = await findDeletion(db, org_id)
      return { deletion: deletion ? present(deletion) : null }
    }),
    route(deleteOrg, async ({ org_id, confirm }, { principal }) => {
      const requested_by = actorOf(principal)
      return db.tx(async (tx) => {
        const org = await lockOrg(tx, org_id)
        if (confirm !== org.slug)
          throw new ServiceError('INVALID_REQUEST', `confirm: must be the slug of the organization, ${org.slug}`)
        const deletion = await schedule(tx, { id: org_id, kind: 'organization', requested_by }, clock.now())
        return { deletion: present(deletion) }
      })
    }),
    route(undoOrgDeletion, async ({ org_id }, { principal }) => {
      await undo(deps, org_id, actorOf(principal))
      return { undone: true as const }
    }),
  ]
}

function operatorRoutes(deps: Deps): Route[] {
  const { db, clock } = deps
  return [
    route(adminListDeletions, async ({ limit, cursor }) => {
      return toPage(await pageDeletions(db, { before: readCursor(cursor), limit }), limit, presentAny)
    }),
    route(adminDeletePerson, async ({ email }) => {
      return db.tx(async (tx) => {
        const person = await findPerson(tx, { email })
        if (!person) throw notFound('person')
        const [orgId] = await lockSoleOwnerships(tx, person.id)
        if (orgId !== undefined) throw lastOwner(orgId)
        return presentAny(await schedule(tx, { id: person.id, kind: 'person', requested_by: 'operator' }, clock.now()))
      })
    }),
    route(adminUndoDeletion, async ({ id }) => {
      await undo(deps, id, 'operator')
      return { undone: true as const }
    }),
  ]
}

type Request = Pick<DeletionRow, 'id' | 'kind' | 'requested_by'>

async function schedule(tx: Tx, request: Request, now: Date): Promise<DeletionRow> {
  const due_at = new Date(now.getTime() + UNDO_MS)
  const { deletion, isNew } = await insertDeletion(tx, { ...request, requested_at: now, due_at })
  if (isNew) await record(tx, deletion, { actor: request.requested_by, verb: 'deletion_requested', at: now })
  return deletion
}

async function undo(deps: Deps, id: string, actor: string): Promise<void> {
  const undone = await deps.db.tx((tx) => removeOrRefuse(tx, id, actor, deps.clock.now()))
  if (undone.was_told) await mailUndone(deps, undone)
}

async function removeOrRefuse(tx: Tx, id: string, actor: string, at: Date): Promise<UndoneDeletion> {
  const undone = await removeDeletion(tx, id)
  if (undone) {
    await record(tx, undone, { actor, verb: 'deletion_undone', at })
    return undone
  }
  if (await findDeletion(tx, id))
    throw new ServiceError('CONFLICT', 'The deletion has begun, so it cannot be undone any more.')
  throw new ServiceError('NOT_FOUND', 'No such deletion. It may have been undone already.')
}

async function record(
  tx: Tx,
  { id, kind }: DeletionRow,
  { actor, verb, at }: { actor: string; verb: string; at: Date },
): Promise<void> {
  const isOrg = kind === 'organization'
  const action = `${isOrg ? 'org' : 'person'}.${verb}`
  await audit(tx, { org_id: isOrg ? id : null, actor, action, target: id, at })
}

function lastOwner(orgId: string): ServiceError {
  return new ServiceError(
    'LAST_OWNER',
    `The person is the last owner of the organization ${orgId}. Make another member an owner, or delete the organization, first.`,
  )
}

function present({ requested_by, requested_at, due_at }: DeletionRow) {
  return { requested_by, requested_at: requested_at.toISOString(), due_at: due_at.toISOString() }
}

function presentAny(row: DeletionRow) {
  return {
    ...present(row),
    id: row.id,
    kind: row.kind,
    begun_at: row.begun_at?.toISOString() ?? null,
    ended_at: row.ended_at?.toISOString() ?? null,
  }
}
