import type { Db } from '#lib/db/db.ts'
import { countLiveApps } from './store.ts'

type Start = {
  readonly db: Pick<Db, 'query' | 'instance'>
  /** Whether other processes can host apps of this installation. */
  readonly hasOthers: boolean
  /** Whether apps can have gone on while no server ran. */
  readonly haveGoneOn: boolean
}

/** Describes how many deployed apps a server that starts takes up. Returns undefined where there is none. */
export async function startingNote({ db, hasOthers, haveGoneOn }: Start): Promise<string | undefined> {
  const count = await countLiveApps(db, hasOthers ? 'without' : 'with')
  if (count === 0) return undefined
  const apps = count === 1 ? '1 deployed app' : `${count} deployed apps`
  const doing = haveGoneOn ? 'still running or starting' : 'starting'
  return `${apps} ${count === 1 ? 'is' : 'are'} ${doing}; until an app runs, its address answers "App is starting"`
}
