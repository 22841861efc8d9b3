import { notFound, ServiceError } from '#contract/core/errors.ts'
import { configureForum, connectForum, disconnectForum, type Forum } from '#contract/notifications/forum.ts'
import { type Route, route } from '#edge/route/route.ts'
import type { Sealer } from '#lib/crypto/seal.ts'
import type { Tx } from '#lib/db/db.ts'
import { auditBy } from '#ports/audit.ts'
import type { NotificationDeps } from '../../model/deps.ts'
import { presentChannel } from '../routes.ts'
import { CHANNEL_SECRETS } from '../secret.ts'
import { deleteChannel, insertChannel, lockChannels, requireChannel, restartChannel, updateChannel } from '../store.ts'
import { probeForum } from './probe.ts'
import { type ForumRow, type ForumSettings, findForum, openKey, replaceKey } from './store.ts'
import { readForumUrl } from './url.ts'

type Deps = Pick<NotificationDeps, 'db' | 'sealer' | 'clock' | 'forumFetch' | 'allowsPrivateForums'>

export function forumRoutes({ db, sealer, clock, forumFetch, allowsPrivateForums }: Deps): Route[] {
  return [
    route(connectForum, async ({ api_key }, { principal }) => {
      const { org_id } = principal
      const before = await findForum(db, org_id)
      if (before?.config) {
        const { url, category } = before.config
        await probeForum({ safeFetch: forumFetch, url, apiKey: api_key }, category)
      }
      return db.tx(async (tx) => {
        await lockChannels(tx, org_id, 'forum')
        refuseChanged(before, await findForum(tx, org_id))
        const id = await saveKey(tx, sealer, { org_id, before, apiKey: api_key })
        await auditBy(tx, principal, { action: 'forum.connected', target: id, at: clock.now() })
        return present(tx, org_id, id, clock.now())
      })
    }),
    route(configureForum, async ({ config }, { principal }) => {
      const { org_id } = principal
      const before = await findForum(db, org_id)
      if (!before) throw notConnected('Save the API key first, with PUT /api/integrations/forum/connection.')
      const url = readForumUrl(config.url, { allowsHttp: allowsPrivateForums })
      refuseOtherForum(before.config, url)
      await probeForum({ safeFetch: forumFetch, url, apiKey: openKey(sealer, before) }, config.category)
      return db.tx(async (tx) => {
        await lockChannels(tx, org_id, 'forum')
        refuseChanged(before, await findForum(tx, org_id))
        const { id, secret } = before
        await restartChannel(tx, { id, kind: 'forum', secret })
        const label = `${url} (category ${config.category})`
        await updateChannel(tx, { id, label, settings: { url, category: config.category } })
        await auditBy(tx, principal, { action: 'forum.configured', target: id, at: clock.now() })
        return present(tx, org_id, id, clock.now())
      })
    }),
    route(disconnectForum, async (_, { principal }) => {
      return db.tx(async (tx) => {
        await lockChannels(tx, principal.org_id, 'forum')
        const forum = await findForum(tx, principal.org_id)
        if (!forum) throw notFound('forum')
        await deleteChannel(tx, forum.id)
        await auditBy(tx, principal, { action: 'forum.disconnected', target: forum.id, at: clock.now() })
        return { deleted: true as const }
      })
    }),
  ]
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

async function present(tx: Tx, orgId: string, id: string, now: Date): Promise<Forum> {
  const channel = await requireChannel(tx, orgId, id)
  return { ...presentChannel(channel, now), config: (await findForum(tx, orgId))?.config ?? null }
}
