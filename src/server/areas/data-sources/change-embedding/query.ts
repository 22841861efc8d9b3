import type { z } from 'zod'
import { roleAtLeast } from '#contract/core/roles.ts'
import { type EmbeddingChange, queryWithEmbedding } from '#contract/data-sources/embedding-change.ts'
import { type Context, type Member, type Route, route } from '#edge/route/route.ts'
import { createBoundedCache } from '#lib/memory/bounded-cache.ts'
import { recordingRefusals } from '../ask/ask.ts'
import { answerQuestion, type QuestionDeps } from '../ask/question.ts'
import type { Sources } from '../ask/sources.ts'
import type { AskableSource } from '../ask/store.ts'
import type { ConfigureDeps } from '../configure/configure.ts'
import type { ResolvedEntry } from '../search/entry.ts'
import { resolveChange } from './resolve-change.ts'

/** Each is one change of one version of a source. People try one at a time. */
const MAX_RESOLVED_CHANGES = 20

type Input = z.output<typeof queryWithEmbedding.input>
type FindEntries = (source: AskableSource, embedding: EmbeddingChange) => Promise<readonly ResolvedEntry[]>

/** Asks a source whose entries are replaced on the way. Access, quota, records and search are those of any question. */
export function queryWithEmbeddingRoute(parts: QuestionDeps, deps: ConfigureDeps): Route {
  const resolved = createBoundedCache<string, Promise<readonly ResolvedEntry[]>>({ max: MAX_RESOLVED_CHANGES })
  const answer = ({ embedding, ...question }: Input, context: Context<Member>) => {
    const { principal } = context
    const findEntries: FindEntries = (source, change) => {
      const key = JSON.stringify([source.id, source.version, principal.id, change])
      const entries = resolved.getOrMake(key, () => resolveChange(deps, { source, principal, embedding: change }))
      entries.catch(() => resolved.delete(key))
      return entries
    }
    const sources = withChange(parts.sources, principal, embedding, findEntries)
    return answerQuestion({ ...parts, sources }, question, context)
  }
  return route(queryWithEmbedding, answer, recordingRefusals(parts))
}

/** Nothing is remembered, so that every question is asked of the source as the store has it now. */
function withChange(sources: Sources, { role }: Member, embedding: EmbeddingChange, findEntries: FindEntries): Sources {
  return {
    remembered: () => undefined,
    find: async (typed) => {
      const found = await sources.find(typed)
      // A caller below the minimum role is refused as for any question, before the database is touched.
      if (!found.source || !roleAtLeast(role, found.source.min_role)) return found
      try {
        return { ...found, source: { ...found.source, search: await findEntries(found.source, embedding) } }
      } catch (refusal) {
        return { ...found, refusal }
      }
    },
  }
}
