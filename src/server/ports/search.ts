import type { Role } from '#contract/core/roles.ts'
import type { SearchHit } from '#contract/search.ts'
import type { AppName } from './apps.ts'

/** An active app of the organization. Its alias is shown to insiders, and on tickets that the caller filed. */
export type SearchedApp = AppName & {
  /** The caller is a developer or has a part in the app, so that the lists of the app show everything to them. */
  readonly isInsider: boolean
}

type SearchCaller = { readonly org_id: string; readonly user_id: string | null; readonly role: Role }

/** One search: who searches, for what, and the apps of their organization. */
type SearchQuery = {
  readonly caller: SearchCaller
  readonly text: string
  readonly apps: readonly SearchedApp[]
}

/**
 * Finds things of one kind. Each area applies the same rights as its list of that kind, and returns at most
 * `MAX_SEARCH_HITS`, the best first. Returns undefined if it cannot know them now.
 */
export type FindThings = (query: SearchQuery) => Promise<readonly SearchHit[] | undefined>

/** Lists the active apps of the caller's organization. */
export type ListSearchedApps = (caller: SearchCaller) => Promise<readonly SearchedApp[]>

/** By id, the apps whose lists show everything to the caller. */
export function insiderApps(apps: readonly SearchedApp[]): ReadonlyMap<string, SearchedApp> {
  return new Map(apps.filter(({ isInsider }) => isInsider).map((app) => [app.id, app]))
}
