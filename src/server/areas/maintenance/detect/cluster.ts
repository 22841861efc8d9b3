import { readEntries } from './entries.ts'
import { isFormerRevision } from './former-revision.ts'
import type { Frame } from './frames.ts'
import type { LogLine } from './join-traces.ts'

/** Lines with one template. */
export type LogCluster = {
  readonly template: string
  readonly level: string
  readonly count: number
  readonly first_at: Date
  readonly last_at: Date
  /** Where the newest of them comes from. */
  readonly frames: readonly Frame[]
  /** If all of them come from revisions that are not live: the revision of the newest. */
  readonly former_revision_id?: string | undefined
}

const SEVERITY = ['error', 'warn', 'info', 'debug']

/**
 * Groups lines by level and template: the most severe first, then the most frequent. Other work of this process goes on
 * meanwhile.
 */
export async function clusterLines(lines: readonly LogLine[], live: string | null = null): Promise<LogCluster[]> {
  const clusters = new Map<string, LogCluster>()
  for (const { at, level, template, frames, revisionId } of await readEntries(lines)) {
    const key = `${level} ${template}`
    const former = clusters.get(key)
    const { count = 0, first_at = at, last_at = at, frames: earlier = [] } = former ?? {}
    const isOfLive = (former && former.former_revision_id === undefined) || !isFormerRevision(revisionId, live)
    clusters.set(key, {
      template,
      level,
      count: count + 1,
      first_at: at < first_at ? at : first_at,
      last_at: at > last_at ? at : last_at,
      frames: frames.length > 0 ? frames : earlier,
      ...(!isOfLive && revisionId !== null && { former_revision_id: revisionId }),
    })
  }
  return [...clusters.values()].sort(
    (a, b) => SEVERITY.indexOf(a.level) - SEVERITY.indexOf(b.level) || b.count - a.count,
  )
}
