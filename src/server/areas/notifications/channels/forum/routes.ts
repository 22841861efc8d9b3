import { notFound, ServiceError } from '#contract/core/errors.ts'
import { configureForum, connectForum, disconnectForum, type Forum } from '#contract/notifications/forum.ts'
import { actorOf } from '#edge/credentials/actor.ts'
import { type Member, type Route, route } from '#edge/http/route.ts'
import type { Clock } from '#lib/clock.ts'
import type { Sealer } from '#lib/crypto/seal.ts'
import type { Db, Tx } from '#lib/db/db.ts'
import type { SafeFetch } from '#lib/net/safe-fetch.ts'
import { audit } from '#ports/audit.ts'
import { restartChannel } from '../restart.ts'
import { presentChannel } from '../routes.ts'
import { CHANNEL_SECRETS } from '../secret.ts'
import { deleteChannel, findChannel, insertChannel } from '../store.ts'
import { probeForum } from './probe.ts'
import { type ForumRow, type ForumSettings, findForum, lockForum, openKey, replaceKey, saveConfig } from './store.ts'
import { readForumUrl } from './url.ts'

type Deps = {
  db: Db
  sealer: Sealer
  clock: Clock
  forumFetch: SafeFetch
  /** Whether the operator allows forums on private networks, where https is not usual. */
  allowsPrivateForums: boolean
}

export function forumRoutes(deps: Deps): Route[] {
  return [connectRoute(deps), configureRoute(deps), disconnectRoute(deps)]
}

function connectRoute({ db, sealer, clock, forumFetch }: Deps): Route {
  return route(connectForum, async ({ api_key }, { principal }) => {
    const { org_id } = principal
    const before = await findForum(db, org_id)
    if (before?.config) {
      const { url, category } = before.config
      await probeForum({ safeFetch: forumFetch, url, apiKey: api_key }, category)
    }
    return db.tx(async (tx) => {
      await lockForum(tx, org_id)
      refuseChanged(before, await findForum(tx, org_id))
      const id = await saveKey(tx, sealer, { org_id, before, apiKey: api_key })
      await auditChange(tx, principal, { action: 'forum.connected', id, at: clock.now() })
      return present(tx, org_id, id)
    })
  })
}

async function saveKey(
  tx: Tx,
  sealer: Sealer,
  { org_id, before, apiKey }: { org_id: string; before: ForumRow | undefined; apiKey: string },
): Promise<string> {
  if (before === undefined) {
    const added = { org_id, kind: 'forum', label: 'Forum, not configured yet', state: 'unconfirmed' } as const
    return (await insertChannel(tx, sealer, { ...added, settings: {}, secret: apiKey })).id
  }
  const { id, config } = before
  const secret = sealer.seal(apiKey, CHANNEL_SECRETS.context({ id }))
  if (config) await restartChannel(tx, { id, kind: 'forum', secret })
  else await replaceKey(tx, { id, secret })
  return id
}

function configureRoute({ db, sealer, clock, forumFetch, allowsPrivateForums }: Deps): Route {
  return route(configureForum, async ({ config }, { principal }) => {
    const { org_id } = principal
    const before = await findForum(db, org_id)
    if (!before) throw notConnected('Save the API key first, with PUT /api/integrations/forum/connection.')
    const url = readForumUrl(config.url, { allowsHttp: allowsPrivateForums })
    refuseOtherForum(before.config, url)
    await probeForum({ safeFetch: forumFetch, url, apiKey: openKey(sealer, before) }, config.category)
    return db.tx(async (tx) => {
      await lockForum(tx, org_id)
      refuseChanged(before, await findForum(tx, org_id))
      const { id, secret } = before
      await restartChannel(tx, { id, kind: 'forum', secret })
      await saveConfig(tx, id, { url, category: config.category })
      await auditChange(tx, principal, { action: 'forum.configured', id, at: clock.now() })
      return present(tx, org_id, id)
    })
  })
}

/** Without this an admin who does not know the key could have it sent to a server of their own. */
function refuseOtherForum(saved: ForumSettings | null, url: string): void {
  if (saved === null || saved.url === url) return
  const words = `The API key was given for ${saved.url}. To use another forum, disconnect this one and connect again.`
  throw notConnected(words)
}

/** The probe runs outside the transaction, so what it proved may concern a key that was replaced meanwhile. */
function refuseChanged(before: ForumRow | undefined, now: ForumRow | undefined): void {
  if (before?.secret === now?.secret && before?.config?.url === now?.config?.url) return
  throw new ServiceError('CONFLICT', 'The forum was changed by another request at the same time. Try again.')
}

function notConnected(words: string): ServiceError {
  return new ServiceError('FORUM_NOT_CONNECTED', words)
}

function disconnectRoute({ db, clock }: Deps): Route {
  return route(disconnectForum, async (_, { principal }) => {
    return db.tx(async (tx) => {
      await lockForum(tx, principal.org_id)
      const forum = await findForum(tx, principal.org_id)
      if (!forum) throw notFound('forum')
      await deleteChannel(tx, forum.id)
      await auditChange(tx, principal, { action: 'forum.disconnected', id: forum.id, at: clock.now() })
      return { deleted: true as const }
    })
  })
}

async function present(tx: Tx, orgId: string, id: string): Promise<Forum> {
  const channel = (await findChannel(tx, orgId, id))!
  return { ...presentChannel(channel), config: (await findForum(tx, orgId))?.config ?? null }
}

async function auditChange(tx: Tx, principal: Member, { action, id, at }: { action: string; id: string; at: Date }) {
  await audit(tx, { org_id: principal.org_id, actor: actorOf(principal), action, target: id, at })
}
