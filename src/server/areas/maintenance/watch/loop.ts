import type { Db } from '#lib/db/db.ts'
import type { Loop } from '#lib/work/loop.ts'
import type { ListWentLive } from '#ports/app-changes.ts'
import type { AppDirectory } from '#ports/apps.ts'
import { emit } from '#ports/emit.ts'
import { addObserved, nextWindow } from './judge.ts'
import { type ObserveDeps, observe } from './observe.ts'
import { stateOf } from './present.ts'
import { listWatched, saveWatch, type WatchedProposal } from './store.ts'

export type WatchDeps = ObserveDeps & {
  readonly db: Db
  readonly apps: Pick<AppDirectory, 'find'>
  readonly listWentLive: ListWentLive
}

const EVERY_MS = 10 * 60_000
const DAY_MS = 24 * 3_600_000
/** A week of watching, and time for a deploy that waits or a worker that was away. */
const MAX_AGE_DAYS = 30
const PAGE = 200

/** Watches the faults of deployed proposals. It reports what became of them and never changes the app. */
export function watchLoop(deps: WatchDeps, page = PAGE): Loop {
  return {
    name: 'maintenance-watch',
    leader: true,
    async tick(now, signal) {
      const since = new Date(now.getTime() - MAX_AGE_DAYS * DAY_MS)
      const faults: unknown[] = []
      for await (const proposal of watchedProposals(deps.db, since, page)) {
        if (signal.aborted) break
        await watch(deps, proposal, now).catch((error: unknown) => faults.push(error))
      }
      // After the others, which must not wait for one that fails again and again.
      if (faults.length > 0) throw faults[0]
      return new Date(now.getTime() + EVERY_MS)
    },
  }
}

/** Yields all of them at each look: those whose deploy never goes live would otherwise be in the way of the others. */
async function* watchedProposals(db: Db, since: Date, limit: number): AsyncGenerator<WatchedProposal> {
  let after = ''
  while (true) {
    const page = await listWatched(db, since, { after, limit })
    yield* page
    after = page.at(-1)?.id ?? after
    if (page.length < limit) return
  }
}

async function watch(deps: WatchDeps, proposal: WatchedProposal, now: Date): Promise<void> {
  const { db, apps, listWentLive } = deps
  const app = await apps.find(proposal.org_id, proposal.app_id)
  const deploys = app ? await listWentLive(db, app.id, proposal.decided_at) : []
  const deploy = deploys.find(({ id }) => id === proposal.deploy_id)
  if (!app || !deploy) return
  const former = proposal.watch
  const window = nextWindow(deploy, former?.watched_until ?? null, now)
  const row = addObserved(former ?? undefined, deploy, window, await observe(deps, proposal, window))
  await db.tx(async (tx) => {
    const saved = { deployId: deploy.id, proposalId: proposal.id, former: former?.watched_until ?? null }
    if (!(await saveWatch(tx, saved, row)) || row.ended_at === null) return
    const body = { app: { ...app }, proposal_id: proposal.id, actor_id: null, status: stateOf(row) }
    await emit(tx, {
      type: 'application.maintenance.proposal.watched',
      org_id: proposal.org_id,
      occurred_at: now,
      body,
    })
  })
}
